import { hits } from '../case-file.ts';
import type { CaseFile, Hit, Rule } from '../case-file.ts';
import { escape } from '../env-names.ts';
import { baseImage, imageLine, imageOrMachine, lineIn, manifestLine } from '../places.ts';
import type { Place } from '../repository.ts';
import { caught, fromWordings, plainRow } from './wording.ts';
import type { Wording } from './wording.ts';

/** Where a missing system library would be added: the recipe of the image, or else the package that needs it. */
const recipe = (hit: Hit, file: CaseFile): Place | null =>
  baseImage(file) ?? manifestLine(file, new RegExp(`["'\\s]${escape(caught(hit))}["'\\s=]`));

const bundlerPlatform = plainRow({
  rule: 'lockfile-platform',
  pattern:
    /Your bundle only supports platforms \[?"?([^\]"]+)|bundle lock --add-platform (\S+?)[`'"]/,
  score: 97,
  classification: 'config',
  says: 'The lockfile was made for {} only, which is not the platform that the install runs on.',
  fix: 'Add the platform to the lockfile (bundle lock --add-platform …) and commit it.',
});

const ROWS = [
  {
    rule: 'shared-library',
    pattern:
      /error while loading shared libraries: (\S+?):|Error loading shared library (\S+?):|(?:ImportError|OSError|LoadError|Error|DllNotFoundException|UnsatisfiedLinkError)\b.{0,200}?(?<![\w.+-])([\w.+-]+\.so(?:\.[\d.]+)?): cannot open shared object file|version `(GLIBC(?:XX)?_[\d.]+)' not found|Unable to load shared library '([^']+)'|UnsatisfiedLinkError: .*?(\S+\.so\S*)|Library not loaded: (\S+)|(invalid ELF header)|(?<![\w.+-])([\w.+-]+\.so(?:\.[\d.]+)?): cannot open shared object file/,
    score: 96,
    classification: imageOrMachine,
    says: 'A native program or module needs the system library {}, which is not there (or is of another kind, such as glibc against musl).',
    fix: 'Install the library in the image, or build the module on the same base image that runs it.',
    place: recipe,
  },
  {
    rule: 'architecture',
    pattern:
      /exec (\S+?): exec format error|(?<!\S)(\S+): cannot execute binary file: Exec format error|exec user process caused:? "?exec format error|fork\/exec (\S+): exec format error|OSError: \[Errno 8\] Exec format error: '([^']+)'|no matching manifest for (\S+) in the manifest list/i,
    score: 97,
    classification: 'config' as const,
    says: 'The program {} was built for another processor architecture than the one it runs on (exec format error).',
    fix: 'Build the image or the binary for the platform it runs on (--platform, GOARCH, a multi-platform build).',
    place: (_hit: Hit, file: CaseFile): Place | null =>
      imageLine(file, /--platform=|GOARCH=|--target\s/) ?? baseImage(file),
  },
  {
    rule: 'platform-binary',
    pattern:
      /Could not load the "(sharp)" module using the (?:\S+) runtime|You installed (esbuild) for another platform|Cannot find module '?(@(?:rollup|swc|esbuild|next|tailwindcss|parcel|img|napi-rs|biomejs|lightningcss)[\w/-]*-(?:linux|darwin|win32)[\w-]*)|(?:Failed to load )(SWC) binary|Cannot find native binding.*|Prisma Client could not locate the (Query Engine) for runtime "?[\w.-]+|Unable to require\(`?(\S*query_engine\S*)`?\)|(?:Could not find gems matching.*valid for all resolution platforms|Could not find gem '?([\w-]+).*platform)/,
    score: 96,
    classification: 'config' as const,
    says: 'The native binary of {} for this platform was not installed: the modules come from another system, or the lockfile names another platform ({line}).',
    otherwise: 'a dependency',
    fix: 'Install on the platform that runs the service (do not copy node_modules; list the platform in the lockfile or in binaryTargets).',
    place: (hit: Hit, file: CaseFile): Place | null =>
      manifestLine(
        file,
        new RegExp(
          `["'\\s]${escape(caught(hit, 'prisma').replace('Query Engine', '@prisma/client'))}["'\\s]`,
          'i',
        ),
      ),
  },
  {
    rule: 'browser-missing',
    pattern:
      /Failed to launch the browser process|Could not find (Chrom(?:e|ium)[^.]*)|Executable doesn't exist at (\S+)|Host system is missing dependencies to run browsers|chrome: (?:error while|not found)|WebDriverException: .*(?:executable needs to be in PATH|unexpectedly exited)/,
    score: 88,
    classification: imageOrMachine,
    says: 'The browser that the service drives cannot start {}: it, or a system library that it needs, is not installed.',
    fix: 'Install the browser and its libraries in the image (playwright install --with-deps, or the distribution’s chromium).',
    place: recipe,
  },
  {
    rule: 'language-extension',
    pattern:
      /requires? (?:PHP extension )?(ext-[\w-]+)|the requested PHP extension (\w+) is missing|PHP extension "?(\w+)"? (?:is missing|is required)|Call to undefined function (?:\w+\\)*((?:mb_|imagecreate|gd_|intl_|bc|curl_|pg_|mysqli_|openssl_|simplexml_|sodium_)\w*)|(could not find driver)|Unable to load dynamic library '([^']+)'/,
    score: 94,
    classification: imageOrMachine,
    says: 'The PHP extension {} is not installed where the service runs.',
    fix: 'Install the extension in the image (docker-php-ext-install, or the distribution’s package).',
    place: (hit: Hit, file: CaseFile): Place | null =>
      manifestLine(file, new RegExp(`"${escape(caught(hit))}"`)) ?? baseImage(file),
  },
].map(plainRow);

const platformRow: Wording = {
  ...bundlerPlatform,
  rootCause: (hit, file) => {
    const below = file.lines
      .slice(hit.at, hit.at + 4)
      .map((line) => line.text)
      .join(' ');
    const local = /local platform\s+is ([\w-]+)|--add-platform ([\w-]+)/.exec(below);
    return `The lockfile was made for ${caught(hit)} only, but the install runs on ${local?.[1] ?? local?.[2] ?? 'another platform'}.`;
  },
  place: (_hit, file) => lineIn(file, /^PLATFORMS/, /Gemfile\.lock$/),
};

/** Code that was compiled for another system, or that misses a library of the system. */
export const native: Rule = (file) => {
  const found = fromWordings([...ROWS, platformRow])(file);
  // A browser that does not start says why a line later; the library is the cause then.
  return hits(file, /browser process|launch/).length > 0
    ? found.map((one) => (one.rule === 'shared-library' ? { ...one, score: 97 } : one))
    : found;
};
