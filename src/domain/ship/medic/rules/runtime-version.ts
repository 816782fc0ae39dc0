import { grep } from '../repository.ts';
import type { Found } from '../repository.ts';
import type { CaseFile, Hit } from '../case-file.ts';
import { caught, fromWordings } from './wording.ts';
import type { Wording } from './wording.ts';

const declared = (file: CaseFile, pattern: RegExp, name: RegExp): Found | null =>
  grep(file.repo, pattern, (path) => name.test(path))[0] ?? null;

const engines = (file: CaseFile): Found | null =>
  declared(file, /"(?:node|npm|pnpm|yarn)"\s*:\s*"[^"]*\d/, /(?:^|\/)package\.json$/);

const row = (
  pattern: RegExp,
  what: string,
  place: (file: CaseFile) => Found | null,
  score = 92,
): Wording => ({
  rule: 'runtime-version',
  pattern,
  unless: /npm (?:warn|WARN)/,
  score,
  classification: 'config',
  subject: () => `runtime:${what}`,
  rootCause: (hit, file) =>
    `The wrong version of ${what} runs here: ${caught(hit, hit.match[0]).trim().replace(/\.$/, '')}${versionsNear(file, hit)}.`,
  fix: () =>
    `Run the service with a version of ${what} that the project asks for, or widen the range it declares.`,
  place: (_hit, file) => place(file),
});

/** Some tools say which version was expected and found in lines of their own. */
function versionsNear(file: CaseFile, hit: Hit): string {
  if (/\d+\.\d/.test(caught(hit))) return '';
  const found = file.lines
    .slice(hit.at + 1, hit.at + 8)
    .flatMap(
      ({ text }) =>
        /^\W*(?:npm \S+ \w+ )?((?:Expected|Required|Got|Actual|Current|Found)(?: version)?: .*\d.*)/.exec(
          text,
        )?.[1] ?? [],
    );
  return found.length === 0 ? '' : ` (${found.map((one) => one.trim()).join(', ')})`;
}

/** The language's own version does not fit the project. */
export const runtimeVersion = fromWordings([
  row(/(?:npm (?:ERR!|error)) notsup (Required: .*)/, 'Node.js', engines),
  row(/(The engine "node" is incompatible with this module.*)/, 'Node.js', engines),
  row(
    /(Unsupported engine.*)|(Expected version: .*)|(ERR_PNPM_UNSUPPORTED_ENGINE.*)|(?:npm (?:ERR!|error) code )(EBADENGINE)/,
    'Node.js',
    engines,
  ),
  row(
    /((?:requires?|needs?|expected|supports?)[^.]{0,40}\bnode(?:\.js)?(?: version)?s? ?(?:>=|\^|~|v|version )?\s?\d.*)/i,
    'Node.js',
    engines,
    86,
  ),
  row(/(was compiled against a different Node\.js version.*)/, 'Node.js', engines, 85),
  row(
    /((?=.*[Pp]ython)(?:[Rr]equires|because the current|Python version|The currently activated|Unsupported).*(?:[<>=~!]=?\s?\d|not (?:in|supported|satisf)).*)/,
    'Python',
    (file) =>
      declared(
        file,
        /requires-python|^python\s*=|python_requires|python_version/,
        /pyproject\.toml$|setup\.(?:py|cfg)$|Pipfile$/,
      ),
  ),
  row(/(Your Ruby version is \S+, but your Gemfile specified .*)/, 'Ruby', (file) =>
    declared(file, /^\s*ruby\b/, /Gemfile$/),
  ),
  row(
    /(go\.mod requires go >= ?\S+ .*|module requires Go \S+.*|go: .*requires go >= ?\S+.*)/,
    'Go',
    (file) => declared(file, /^go \d/, /go\.mod$/),
  ),
  row(
    /(UnsupportedClassVersionError.*)|((?:invalid (?:target|source) release|error: release version).*\d+.*)/,
    'Java',
    (file) =>
      declared(
        file,
        /java\.version|<release>|maven\.compiler|sourceCompatibility|languageVersion/,
        /pom\.xml$|build\.gradle/,
      ),
  ),
  row(
    /(requires rustc \S+ or newer.*|rustc \S+ is not supported.*|feature `edition\d+` is required.*)/,
    'Rust',
    (file) => declared(file, /rust-version|edition/, /Cargo\.toml$/),
  ),
  row(
    /(requires php \S+ .*|Your (?:Composer dependencies require a|php) (?:PHP )?version.*)/i,
    'PHP',
    (file) => declared(file, /"php"\s*:/, /composer\.json$/),
  ),
  row(
    /(You must install (?:or update )?\.NET.*)|(The current \.NET SDK does not support targeting .*)|(The framework 'Microsoft\.[\w.]+', version .* was not found)/,
    '.NET',
    (file) => declared(file, /TargetFramework/, /\.csproj$/),
  ),
  row(/(You're trying to run .* on Elixir .* but it has declared.*)/, 'Elixir', (file) =>
    declared(file, /elixir:\s*"/, /mix\.exs$/),
  ),
]);
