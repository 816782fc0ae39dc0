import type { CaseFile, Hit } from '../case-file.ts';
import { grep } from '../repository.ts';
import type { Place } from '../repository.ts';
import { escape } from '../env-names.ts';
import { caught, fromWordings } from './wording.ts';

const inManifest = (file: CaseFile, name: string, manifest: RegExp): Place | null => {
  const bare = name.replace(/(?<=.)@.*$/, '').replace(/[<>=~!^ (].*$/, '');
  if (bare === '') return null;
  const named = new RegExp(`(?:^|["'\\s])${escape(bare)}(?:["'\\s=<>~!\\[(,]|$)`, 'i');
  return grep(file.repo, named, (path) => manifest.test(path))[0] ?? null;
};

/** Registries write the slash of a scope as %2f. */
const unescaped = (hit: Hit): string => caught(hit).replace(/%2f/i, '/');

const NODE = /(?:^|\/)package\.json$/;
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
      /npm ci.*can only install (?:packages )?(?:when|with)|package-lock\.json are (?:not )?in sync|lock file's .* does not satisfy|ERR_PNPM_OUTDATED_LOCKFILE|lockfile needs to be updated|(?:The lockfile would have been modified|YN0028)|poetry\.lock (?:is not up to date|was last generated|.*changed significantly)|lockfile (?:at .* )?needs to be updated|the lock file .* needs to be updated but --locked|Your bundle only supports|The gemspecs? .* changed|updates to go\.(?:sum|mod) needed|lockfile had changes, but lockfile is frozen/,
    score: 95,
    classification: 'config',
    subject: () => 'lockfile',
    rootCause: () =>
      'The lockfile is out of date: it does not agree with the manifest, and a clean install refuses that.',
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
    place: () => null,
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
      /gyp ERR! (?:build error|find Python|stack Error)|Failed building wheel for (\S+)|error: command '(?:gcc|cc|x86_64-linux-gnu-gcc)' failed|pg_config executable not found|Failed to build gem native extension/,
    score: 80,
    classification: 'infra',
    subject: (hit) => `native:${caught(hit)}`,
    rootCause: (hit) =>
      `A dependency with native code${caught(hit) ? ` (${caught(hit)})` : ''} could not be compiled: a compiler or a library it needs is missing.`,
    fix: () => 'Use a version with a prebuilt binary, or add the build tools to the image.',
    place: (hit, file) => inManifest(file, caught(hit), PYTHON),
  },
  {
    rule: 'gem-conflict',
    pattern:
      /Bundler could not find compatible versions for gem "([^"]+)"|Could not find compatible versions|failed to select a version for (?:the requirement )?`([^`]+)`|Could not resolve dependencies for project|Your requirements could not be resolved to an installable set|NU1\d{3}/,
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
