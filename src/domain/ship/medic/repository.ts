/** The part of a repository the medic was allowed to see, held in memory. */
export type Snapshot = {
  /** Relative to the repository's root, with forward slashes. */
  readonly paths: readonly string[];
  readonly text: (path: string) => string | null;
};

/** The same as the rules read it: the failing lane first, in lines, without secrets. */
export type Repository = {
  readonly paths: readonly string[];
  readonly has: (path: string) => boolean;
  readonly lines: (path: string) => readonly string[] | null;
};

export type Place = { readonly file: string; readonly line: number };
export type Found = Place & { readonly text: string; readonly match: RegExpExecArray };

const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|rb|ru|go|rs|java|kt|kts|scala|groovy|php|cs|fs|exs?|swift|vue|svelte|astro)$/i;
const TESTS = /(?:^|\/)(?:tests?|__tests__|specs?|fixtures)\/|[._-](?:test|spec)\.[a-z]+$/i;

export const isSource = (path: string): boolean => SOURCE.test(path) && !TESTS.test(path);

export function openRepository(
  snapshot: Snapshot,
  lanePath: string,
  clean: (text: string) => string,
): Repository {
  // Another lane may have a file of the same kind; the failing lane's own is meant.
  const inLane = (path: string): boolean => lanePath !== '.' && path.startsWith(`${lanePath}/`);
  const { paths } = snapshot;
  const known = new Set(paths);
  const seen = new Map<string, readonly string[] | null>();
  return {
    paths: [...paths.filter(inLane), ...paths.filter((path) => !inLane(path))],
    has: (path) => known.has(path),
    lines(path) {
      const before = seen.get(path);
      if (before !== undefined) return before;
      const text = snapshot.text(path);
      const lines = text === null ? null : clean(text).split('\n');
      seen.set(path, lines);
      return lines;
    },
  };
}

export function lineAt(repo: Repository, place: Place): string | null {
  return repo.lines(place.file)?.[place.line - 1] ?? null;
}

/** Every line of the chosen files that matches, at most `most` of them. */
export function grep(
  repo: Repository,
  pattern: RegExp,
  keep: (path: string) => boolean = isSource,
  most = 40,
): Found[] {
  const found: Found[] = [];
  for (const file of repo.paths.filter(keep)) {
    const lines = repo.lines(file) ?? [];
    for (const [index, text] of lines.entries()) {
      const match = pattern.exec(text);
      if (match !== null) found.push({ file, line: index + 1, text, match });
      if (found.length >= most) return found;
    }
  }
  return found;
}

/**
 * Leads a path as a tool printed it back to a file of the repository.
 *
 * Tools print absolute paths of a copy, paths relative to a directory, or a bare file name.
 */
export function resolvePath(
  repo: Repository,
  printed: string,
  where: { readonly cwd: string | null; readonly lanePath: string },
): string | null {
  const clean = printed.replace(/^file:\/\//, '').replace(/\\/g, '/');
  const inLane = (path: string): string =>
    where.lanePath === '.' || where.lanePath === '' ? path : `${where.lanePath}/${path}`;
  const relative = insideOf(clean, where.cwd);
  const parts = upwards(relative, where.lanePath);
  if (parts === null) return null;
  const absolute = relative.startsWith('/');
  for (let from = 0; from < parts.length; from++) {
    const path = parts.slice(from).join('/');
    if (repo.has(inLane(path))) return inLane(path);
    if (repo.has(path)) return path;
    if (!absolute) break;
  }
  return onlyOne(repo.paths.filter((path) => path.endsWith(`/${parts.join('/')}`)));
}

function insideOf(path: string, cwd: string | null): string {
  return cwd !== null && cwd !== '/' && path.startsWith(`${cwd}/`)
    ? path.slice(cwd.length + 1)
    : path;
}

const onlyOne = (paths: readonly string[]): string | null =>
  paths.length === 1 ? (paths[0] ?? null) : null;

/** The parts of a path; one that climbs out of the lane is led on from the lane's folder. */
function upwards(path: string, lanePath: string): string[] | null {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (!parts.includes('..')) return parts;
  const base = parts[0] === '..' ? lanePath.split('/').filter((part) => part !== '.') : [];
  const led: string[] = [...base];
  for (const part of parts)
    if (part !== '..') led.push(part);
    else if (led.pop() === undefined) return null;
  return led;
}
