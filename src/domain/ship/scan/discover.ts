import { at, stringsOf } from './json.ts';
import { baseOf, directoryOf, isBelow, join, type Snapshot } from './snapshot.ts';

const MANIFEST =
  /^(package\.json|deno\.jsonc?|requirements[\w.-]*\.txt|pyproject\.toml|Pipfile|setup\.py|manage\.py|go\.mod|Cargo\.toml|Gemfile|[\w.-]+\.gemspec|composer\.json|pom\.xml|build\.gradle(\.kts)?|build\.sbt|[\w.-]+\.(csproj|fsproj|vbproj)|mix\.exs|Package\.swift|pubspec\.yaml|Podfile|Procfile|hugo\.(toml|yaml)|wp-load\.php|wp-config-sample\.php)$/;
const WEAK = /^(Dockerfile|Containerfile|index\.html|index\.php)$/;

/** Directories that show how something is used or tested; nobody deploys them. */
const ASIDE =
  /(^|\/)(examples?|samples?|demos?|tests?|__tests__|e2e|fixtures|testdata|specs?|benchmarks?|benches|templates?|playgrounds?|sandbox|\.storybook|buildSrc|third_party|docs?|documentation|scripts|tools|tooling)(\/|$)/i;
const CONTAINER_ONLY =
  /(^|\/)(docker|deploy(ment)?|build|ci|ops|\.docker|k8s|kubernetes|helm|infra(structure)?)(\/|$)/i;
const PAGES =
  /^(frontend|front-end|client|web|website|site|landing|ui|www|static-site|homepage|marketing)$/i;

/** Directories that hold something which could be a service, in order. */
export function discover(snapshot: Snapshot): readonly string[] {
  const members = declaredMembers(snapshot);
  const strong = new Set<string>(['.']);
  const weak: string[] = [];
  for (const file of snapshot.files) {
    const directory = homeOf(file);
    if (isAside(directory, members)) continue;
    if (/\.(xcodeproj|xcworkspace)$/.test(directory)) strong.add(directoryOf(directory));
    else if (MANIFEST.test(baseOf(file)) && !isRequirements(directory)) strong.add(directory);
    else if (baseOf(file) === 'project.json' && isNxProject(snapshot, file)) strong.add(directory);
    else if (WEAK.test(baseOf(file))) weak.push(file);
  }
  for (const file of weak) {
    const directory = directoryOf(file);
    if (!strong.has(directory) && standsAlone(snapshot, file, strong)) strong.add(directory);
  }
  return [...strong].toSorted((a, b) => (a < b ? -1 : 1));
}

// `requirements/base.txt` belongs to the directory above.
const isRequirements = (directory: string): boolean => baseOf(directory) === 'requirements';

function homeOf(file: string): string {
  const bundle = /^(.*?\.(?:xcodeproj|xcworkspace))\//.exec(file)?.[1];
  return bundle ?? directoryOf(file);
}

// A workspace that names a directory as a member means it, whatever it is called.
function isAside(directory: string, members: readonly RegExp[]): boolean {
  return ASIDE.test(directory) && !members.some((member) => member.test(directory));
}

function isNxProject(snapshot: Snapshot, file: string): boolean {
  return snapshot.files.includes('nx.json') && at(snapshot.data(file), 'projectType') !== undefined;
}

function standsAlone(snapshot: Snapshot, file: string, strong: ReadonlySet<string>): boolean {
  const directory = directoryOf(file);
  const above = [...strong].some(
    (path) => path !== directory && isBelow(directory, path) && hasManifest(snapshot, path),
  );
  if (/^(Dockerfile|Containerfile)$/.test(baseOf(file)))
    return !CONTAINER_ONLY.test(directory) && !above;
  if (directory.split('/').length > 2) return false;
  return PAGES.test(baseOf(directory)) && !isServed(snapshot, directory);
}

const hasManifest = (snapshot: Snapshot, path: string): boolean =>
  snapshot.files.some((file) => directoryOf(file) === path && MANIFEST.test(baseOf(file)));

// A page inside a Node package's client folder is an input of its bundler; Flutter has one too.
function isServed(snapshot: Snapshot, directory: string): boolean {
  for (let path = directoryOf(directory); ; path = directoryOf(path)) {
    if (
      ['package.json', 'pubspec.yaml'].some((name) => snapshot.data(join(path, name)) !== undefined)
    )
      return true;
    if (path === '.') return false;
  }
}

/** Patterns for the members that npm, pnpm, lerna, uv and cargo workspaces declare. */
export function declaredMembers(snapshot: Snapshot): readonly RegExp[] {
  const data = (file: string) => snapshot.data(file);
  const npm = at(data('package.json'), 'workspaces');
  const globs = [
    ...stringsOf(npm),
    ...stringsOf(at(npm, 'packages')),
    ...stringsOf(at(data('pnpm-workspace.yaml'), 'packages')),
    ...stringsOf(at(data('lerna.json'), 'packages')),
    ...stringsOf(at(data('pyproject.toml'), 'tool', 'uv', 'workspace', 'members')),
    ...stringsOf(at(data('Cargo.toml'), 'workspace', 'members')),
    ...[...(snapshot.text('go.work') ?? '').matchAll(/^[ \t]*(?:use\s+)?(\.\/[\w./-]+)/gm)].map(
      (match) => match[1] ?? '',
    ),
  ];
  return globs.filter((glob) => !glob.startsWith('!')).map(globPattern);
}

/** Directories that their own workspace leaves out by name: they are there, but nobody means them. */
export function leftOut(snapshot: Snapshot): (directory: string) => boolean {
  const npm = at(snapshot.data('package.json'), 'workspaces');
  const negated = [
    ...stringsOf(npm),
    ...stringsOf(at(npm, 'packages')),
    ...stringsOf(at(snapshot.data('pnpm-workspace.yaml'), 'packages')),
    ...stringsOf(at(snapshot.data('lerna.json'), 'packages')),
  ].filter((glob) => glob.startsWith('!'));
  const uv = at(snapshot.data('pyproject.toml'), 'tool', 'uv', 'workspace', 'exclude');
  const cargo = at(snapshot.data('Cargo.toml'), 'workspace', 'exclude');
  const left: readonly (readonly [string, readonly RegExp[]])[] = [
    ['package.json', negated.map((glob) => globPattern(glob.slice(1)))],
    ['pyproject.toml', stringsOf(uv).map(globPattern)],
    ['Cargo.toml', stringsOf(cargo).map(globPattern)],
  ];
  return (directory) =>
    left.some(
      ([manifest, globs]) =>
        globs.some((glob) => glob.test(directory)) &&
        snapshot.files.includes(join(directory, manifest)),
    );
}

function globPattern(glob: string): RegExp {
  const body = glob
    .replace(/^\.\//, '')
    .replace(/\/$/, '')
    .replaceAll(/[.+^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('**', '\u0000')
    .replaceAll('*', '[^/]*')
    .replaceAll('\u0000', '.*')
    .replaceAll(/\{([^}]*)\}/g, (_, list: string) => `(${list.split(',').join('|')})`);
  return new RegExp(`^${body}$`);
}
