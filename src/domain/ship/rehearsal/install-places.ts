const LOCKFILES: Readonly<Record<string, readonly string[]>> = {
  node: [
    'package-lock.json',
    'npm-shrinkwrap.json',
    'pnpm-lock.yaml',
    'yarn.lock',
    'bun.lock',
    'bun.lockb',
  ],
  deno: ['deno.lock'],
  python: ['uv.lock', 'poetry.lock', 'Pipfile.lock', 'pdm.lock', 'requirements.txt'],
  go: ['go.work.sum', 'go.sum'],
  rust: ['Cargo.lock'],
  ruby: ['Gemfile.lock'],
  php: ['composer.lock'],
  elixir: ['mix.lock'],
  swift: ['Package.resolved'],
  dotnet: ['packages.lock.json'],
};
const MANIFESTS: Readonly<Record<string, readonly string[]>> = {
  node: ['package.json'],
  deno: ['deno.json', 'deno.jsonc'],
  python: ['pyproject.toml', 'requirements.txt', 'setup.py'],
  go: ['go.work', 'go.mod'],
  rust: ['Cargo.toml'],
  ruby: ['Gemfile'],
  php: ['composer.json'],
  elixir: ['mix.exs'],
  swift: ['Package.swift'],
};

/**
 * The directories where a lane's install command belongs, outermost first.
 *
 * Every lockfile between the root and the lane counts: a workspace keeps one at the root, a
 * nested project its own, and a nested project inside a workspace may lean on both. Without any
 * lockfile it is the nearest manifest, and without one the lane itself.
 */
export function installPlaces(
  lanePath: string,
  ecosystem: string,
  has: (file: string) => boolean,
): string[] {
  const places = upwards(lanePath);
  const holding = (names: readonly string[] | undefined): string[] =>
    places.filter((place) => (names ?? []).some((name) => has(join(place, name))));
  const locked = holding(LOCKFILES[ecosystem]);
  if (locked.length > 0) return locked.toReversed();
  return [holding(MANIFESTS[ecosystem])[0] ?? normal(lanePath)];
}

/** The lane's directory and those above it, `.` last. */
export function upwards(lanePath: string): string[] {
  const parts = normal(lanePath)
    .split('/')
    .filter((part) => part !== '.');
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('/')).concat('.');
}

const normal = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/') || '.';

const join = (place: string, name: string): string => (place === '.' ? name : `${place}/${name}`);
