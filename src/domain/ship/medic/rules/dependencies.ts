import type { CaseFile, Hit } from '../case-file.ts';
import { grep } from '../repository.ts';
import type { Place } from '../repository.ts';
import { escape } from '../env-names.ts';
import { baseImage, imageLine, imageOrMachine } from '../places.ts';
import { caught, fromWordings } from './wording.ts';

const inManifest = (file: CaseFile, name: string, manifest: RegExp): Place | null => {
  const bare = name.replace(/(?<=.)@.*$/, '').replace(/[<>=~!^ (].*$/, '');
  if (bare === '') return null;
  const named = new RegExp(`(?:^|["'\\s])${escape(bare)}(?:["'\\s=<>~!\\[(,]|$)`, 'i');
  return grep(file.repo, named, (path) => manifest.test(path))[0] ?? null;
};

/** Registries write the slash of a scope as %2f. */
const unescaped = (hit: Hit): string => caught(hit).replace(/%2f/i, '/').replace(/\.$/, '');

const NODE = /(?:^|\/)package\.json$/;
const MANIFEST =
  /(?:^|\/)(?:package\.json|pyproject\.toml|Pipfile|Cargo\.toml|go\.mod|composer\.json|Gemfile|mix\.exs|deno\.jsonc?|[\w.]+\.(?:cs|fs)proj|requirements[\w-]*\.txt)$/;
const PYTHON = /requirements[\w-]*\.txt$|pyproject\.toml$|Pipfile$|setup\.py$/;

/** The package manager cannot put together what the manifest asks for. */
export const dependencies = fromWordings([
  {
    rule: 'dependency-conflict',
    pattern:
      /(?:npm (?:ERR!|error)) (?:code ERESOLVE|ERESOLVE (?:unable to resolve|could not resolve))/,
    score: 93,
    classification: 'config',
    subject: (hit, file) => `dependency:${conflicting(file, hit.at)}`,
    rootCause: (hit, file) =>
      `npm cannot resolve the dependencies (ERESOLVE): the versions asked for ${conflicting(file, hit.at) ? `around ${conflicting(file, hit.at)} ` : ''}contradict each other.`,
    fix: () => 'Choose versions whose peer ranges overlap, and commit the new lockfile.',
    place: (hit, file) => inManifest(file, conflicting(file, hit.at), NODE),
  },
  {
    rule: 'lockfile-stale',
    pattern:
      /npm ci.*can only install (?:packages )?(?:when|with)(?! an existing)|package-lock\.json are (?:not )?in sync|lock file's .* does not satisfy|ERR_PNPM_OUTDATED_LOCKFILE|lockfile needs to be updated|(?:The lockfile would have been modified|YN0028)|poetry\.lock (?:is not up to date|was last generated|.*changed significantly)|lockfile (?:at .* )?needs to be updated|the lock file .* needs to be updated but --locked|The gemspecs? .* changed|updates to go\.(?:sum|mod) needed|missing go\.sum entry|go: inconsistent vendoring|the lock file .* needs to be updated|is not up to date with the (?:latest )?changes in composer\.json|Required package "[^"]+" is not present in the lock file|lock file is not up to date|The dependencies in your gemfile changed|You are trying to install in deployment mode after changing|The lockfile is out of date|Pipfile\.lock .* out of date|NU1004|package-lock\.json or npm-shrinkwrap\.json .* in sync|lock is out of date|lockfile had changes, but lockfile is frozen/,
    score: 95,
    classification: 'config',
    subject: () => 'lockfile',
    rootCause: (hit, file) =>
      `The lockfile ${lockfileOf(hit, file)} is out of date: it does not agree with the manifest, and a clean install refuses that.`,
    fix: () => 'Run the package manager’s install once, check the change and commit the lockfile.',
    place: (_hit, file) =>
      grep(
        file.repo,
        /"(?:dependencies|devDependencies)"\s*:|\[tool\.poetry\.dependencies\]|\[dependencies\]/,
        (path) => /package\.json$|pyproject\.toml$|Cargo\.toml$/.test(path),
      )[0] ?? null,
  },
  {
    rule: 'lockfile-missing',
    pattern:
      /The `?npm ci`? command can only install with an existing package-lock|Headless installation requires a pnpm-lock/,
    score: 96,
    classification: 'config',
    subject: () => 'lockfile',
    rootCause: () =>
      'There is no lockfile, but the install command (npm ci or its like) needs one.',
    fix: () => 'Commit the lockfile that the package manager writes.',
    place: (_hit, file) =>
      imageLine(file, /^\s*RUN\b.*(?:npm ci|--frozen-lockfile|--immutable|--locked|--deployment)/),
  },
  {
    rule: 'package-not-found',
    pattern:
      /(?:npm (?:ERR!|error)) 404\s+'?([@\w/.-]+)@\S*'? is not in this registry|404 Not Found - GET \S+\/([@\w%.-]+)|No matching version found for ([@\w/.-]+@\S+?)\.?$|code ETARGET/,
    score: 93,
    classification: 'config',
    subject: (hit) => `dependency:${unescaped(hit)}`,
    rootCause: (hit) =>
      `The package ${unescaped(hit) || 'asked for'} does not exist in the registry under that name or version.`,
    fix: () =>
      'Correct the name or version in the manifest, or give the install access to the private registry.',
    place: (hit, file) => inManifest(file, unescaped(hit), NODE),
  },
  {
    rule: 'package-not-found',
    pattern:
      /NU110[123]: Unable to find (?:a stable )?package ([\w.-]+)|no matching package (?:named|found)[^`]*`([^`]+)`|(?<![\w./-])([\w./-]+)@\S+: (?:invalid version|no matching versions)|module ([\w./-]+): (?:not found|git ls-remote)|Could not find a matching version of package (\S+)|Root composer\.json requires (\S+) .*could not be found|Could not find gem '([\w-]+)[^']*' in (?:rubygems repository|any)|No package with name (\w+)|JSR package not found: (\S+)|ERR_PNPM_FETCH_404\S*\s+GET \S+\/([@\w%.-]+)|ERR_PNPM_NO_MATCHING_VERSION\S*\s+No matching version found for (\S+)|Couldn't find package "([^"]+)"|Couldn't find any versions for "([^"]+)"|Because ([\w.-]+) was not found in the package registry|depends on ([\w.-]+) \([^)]*\) which doesn't match any versions/,
    score: 94,
    classification: 'config',
    subject: (hit) => `dependency:${unescaped(hit)}`,
    rootCause: (hit) =>
      `The package ${unescaped(hit)} does not exist in the registry under that name or version.`,
    fix: () =>
      'Correct the name or version in the manifest, or give the install access to the private registry.',
    place: (hit, file) => inManifest(file, unescaped(hit), MANIFEST),
  },
  {
    rule: 'pip-not-found',
    pattern:
      /No matching distribution found for ([\w.[\]-]+\S*)|Could not find a version that satisfies the requirement ([\w.[\]-]+\S*)/,
    score: 92,
    classification: 'config',
    subject: (hit) => `dependency:${caught(hit)}`,
    rootCause: (hit) => `pip finds no distribution that satisfies ${caught(hit)}.`,
    fix: (hit) =>
      `Correct the requirement ${caught(hit)}: the version does not exist or does not support this Python.`,
    place: (hit, file) => inManifest(file, caught(hit), PYTHON),
  },
  {
    rule: 'pip-conflict',
    pattern:
      /Cannot install (.+?) because these package versions have conflicting dependencies|ResolutionImpossible|SolverProblemError|version solving failed|No solution found when resolving dependencies/,
    score: 93,
    classification: 'config',
    subject: () => 'dependency:python',
    rootCause: (hit) =>
      `The Python requirements contradict each other${caught(hit) ? `: ${caught(hit)}` : ''}.`,
    fix: () => 'Loosen or change one of the conflicting requirements.',
    place: (hit, file) =>
      inManifest(file, caught(hit).split(/[ ,=]/)[0] ?? '', PYTHON) ??
      grep(file.repo, /==|>=/, (path) => PYTHON.test(path))[0] ??
      null,
  },
  {
    rule: 'native-build',
    pattern:
      /(pg_config) executable not found|(mysql_config|mysqlclient\.pc) not found|(pkg-config|cmake|make|gcc|g\+\+|cc|cargo|rustc): (?:command )?not found|linker `(cc)` not found|fatal error: ([\w./-]+\.h): No such file|Could not find (?:directory of )?(OpenSSL)|gyp ERR! (?:build error|find (Python)|stack Error)|Failed building wheel for (\S+)|error: command '(?:\S*\/)?(gcc|cc|x86_64-linux-gnu-gcc)' failed|Failed to build gem native extension|Could NOT find (\w+)|Package '?([\w.-]+)'?,? (?:required by .*, )?not found|No package '([\w.-]+)' found/,
    score: 91,
    classification: imageOrMachine,
    subject: (hit) => `native:${caught(hit)}`,
    rootCause: (hit, file) =>
      `A dependency with native code${nativeOf(file, hit.at)} could not be compiled: ${caught(hit) ? `${caught(hit)} is missing or failed` : 'a compiler or a library it needs is missing'}.`,
    fix: () => 'Use a version with a prebuilt binary, or add the build tools to the image.',
    place: (hit, file) =>
      inManifest(
        file,
        nativeOf(file, hit.at).replace(/[ ()]/g, '') || caught(hit),
        /requirements[\w-]*\.txt$|pyproject\.toml$|Gemfile$|package\.json$|Cargo\.toml$/,
      ) ?? baseImage(file),
  },
  {
    rule: 'dependency-unresolved',
    pattern:
      /Could not resolve dependencies for project ([\w.:-]+)|Could not resolve all (?:files|dependencies|artifacts) for configuration '([^']+)'|Could not find artifact ([\w.:-]+)|Could not find ([\w.-]+:[\w.-]+:[\w.-]+)\./,
    tier: 'fault',
    score: 86,
    classification: 'config',
    subject: (hit) => `dependency:${caught(hit)}`,
    rootCause: (hit, file) =>
      `The build cannot resolve ${unresolved(file, hit) || caught(hit)}: it is in none of the repositories that are asked.`,
    fix: () => 'Correct the coordinates or the version, or add the repository that has it.',
    place: (hit, file) =>
      inManifest(
        file,
        unresolved(file, hit).split(':')[1] ?? '',
        /pom\.xml$|build\.gradle(?:\.kts)?$/,
      ),
  },
  {
    rule: 'gem-conflict',
    pattern:
      /Bundler could not find compatible versions for gem "([^"]+)"|Could not find compatible versions|failed to select a version for (?:the requirement )?`([^`]+)`|Your requirements could not be resolved to an installable set|NU1\d{3}/,
    score: 92,
    classification: 'config',
    subject: (hit) => `dependency:${caught(hit)}`,
    rootCause: (hit) =>
      `The package manager cannot find versions that fit together${caught(hit) ? ` for ${caught(hit)}` : ''}.`,
    fix: () => 'Change one of the version ranges in the manifest and commit the new lockfile.',
    place: (hit, file) =>
      inManifest(
        file,
        caught(hit).split(' ')[0] ?? '',
        /Gemfile$|Cargo\.toml$|pom\.xml$|composer\.json$|\.csproj$/,
      ),
  },
]);

/** Which package was being built, as the tools say it. */
function nativeOf(file: CaseFile, at: number): string {
  const around = file.lines
    .slice(Math.max(0, at - 25), at + 25)
    .map((line) => line.text)
    .join('\n');
  const name =
    /required to build (\S+) from source/.exec(around)?.[1] ??
    /(?:Failed (?:building wheel for|to build)|An error occurred while installing|failed to run custom build command for `?) ?([\w@./-]+)/.exec(
      around,
    )?.[1] ??
    /npm (?:ERR!|error) path \S*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)$/m.exec(around)?.[1];
  return name === undefined || name === 'gem' ? '' : ` (${name})`;
}

/** The coordinates of the dependency that is missing, said at or below the first line. */
function unresolved(file: CaseFile, hit: Hit): string {
  const below = file.lines
    .slice(hit.at, hit.at + 12)
    .map((line) => line.text)
    .join('\n');
  return /Could not find (?:artifact )?([\w.-]+:[\w.-]+:[\w.:-]+)/.exec(below)?.[1] ?? '';
}

const LOCKS: readonly [RegExp, string][] = [
  [/go\.sum/, 'go.sum'],
  [/go\.mod|go:/, 'go.mod'],
  [/pnpm|PNPM/, 'pnpm-lock.yaml'],
  [/\bnpm\b|package-lock/, 'package-lock.json'],
  [/YN00|yarn/, 'yarn.lock'],
  [/bun|lockfile is frozen/, 'bun.lock'],
  [/poetry/, 'poetry.lock'],
  [/Pipfile/, 'Pipfile.lock'],
  [/uv\.lock|--locked/, 'uv.lock'],
  [/[Cc]argo/, 'Cargo.lock'],
  [/composer/, 'composer.lock'],
  [/bundle|[Gg]emfile|deployment mode/, 'Gemfile.lock'],
  [/NU1004/, 'packages.lock.json'],
  [/deno/, 'deno.lock'],
];

const told = (text: string): string | undefined => LOCKS.find(([shape]) => shape.test(text))?.[1];

/** The lockfile by name: as the line says it, or else by the tool that was run. */
function lockfileOf(hit: Hit, file: CaseFile): string {
  const named = /[`'"]?((?:[\w.-]+\/)*[\w-]+[.-]lock(?:b|file)?(?:\.\w+)?)\b[`'"]?/.exec(
    hit.text,
  )?.[1];
  if (named !== undefined && /\.(?:lock|lockb|yaml|json)$/.test(named)) return named;
  return told(hit.text) ?? told(file.evidence.command) ?? '';
}

/** The package npm names first in its report of a conflict. */
function conflicting(file: CaseFile, at: number): string {
  const after = file.lines
    .slice(at, at + 14)
    .map((line) => line.text)
    .join('\n');
  return (
    /While resolving: \S+[\s\S]*?Found: (@?[\w./-]+)@/.exec(after)?.[1] ??
    /(?:peer|Could not resolve dependency:\s*\S*\s*\S*\s*peer) (@?[\w./-]+)@/.exec(after)?.[1] ??
    ''
  );
}
