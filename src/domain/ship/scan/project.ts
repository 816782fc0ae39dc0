import type { Source } from './evidence.ts';
import type { Json } from './json.ts';
import { baseOf, directoryOf, isBelow, join, type Snapshot } from './snapshot.ts';

/** One directory with a manifest, seen apart from the projects nested in it. */
export interface Project {
  readonly path: string;
  readonly snapshot: Snapshot;
  /** Files of this project, relative to its directory. */
  readonly files: readonly string[];
  has(file: string): boolean;
  text(file: string): string | undefined;
  data(file: string): Json | undefined;
  /** A file of this project as a source for evidence; empty text when it was not read. */
  source(file: string): Source;
  /** Program text of this project with one of these endings, tests left out, shallow files first. */
  sources(endings: readonly string[]): readonly Source[];
}

const TESTS =
  /(^|\/)(__tests__|__mocks__|tests?|specs?|e2e|fixtures|testdata|stories|mocks?|examples?|samples?|benches|benchmarks?|storybook)\/|[._-](test|spec|stories|e2e|cy)\.[a-z]+$|(^|\/)(test_[^/]*|[^/]*_test|[^/]*_spec|conftest)\.[a-z]+$|(^|\/)(examples?|demo|bench(mark)?s?)[\w.-]*\.[a-z]+$|(^|\/)src\/(test|androidTest)\//;

export function openProject(
  snapshot: Snapshot,
  path: string,
  nested: readonly string[] = [],
): Project {
  const inner = nested.filter((other) => other !== path && isBelow(other, path));
  const files = snapshot.files
    .filter((file) => isBelow(file, path) && !inner.some((other) => isBelow(file, other)))
    .map((file) => (path === '.' ? file : file.slice(path.length + 1)));
  const known = new Set(files);
  const cache = new Map<string, readonly Source[]>();
  const source = (file: string): Source => ({
    file: join(path, file),
    text: snapshot.text(join(path, file)) ?? '',
  });
  return {
    path,
    snapshot,
    files,
    has: (file) => known.has(file),
    text: (file) => (known.has(file) ? snapshot.text(join(path, file)) : undefined),
    data: (file) => (known.has(file) ? snapshot.data(join(path, file)) : undefined),
    source,
    sources: (endings) => {
      const key = endings.join(' ');
      const kept = cache.get(key);
      if (kept !== undefined) return kept;
      const found = programFiles(files, endings)
        .map(source)
        .filter(({ text }) => text !== '');
      cache.set(key, found);
      return found;
    },
  };
}

function programFiles(files: readonly string[], endings: readonly string[]): readonly string[] {
  return files
    .filter((file) => endings.some((ending) => file.endsWith(ending)) && !isTest(file))
    .toSorted((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
}

export const isTest = (file: string): boolean => TESTS.test(file);

const depth = (file: string): number => file.split('/').length;

/** A path of the repository as the project itself would write it. */
export const within = (project: Project, file: string): string =>
  project.path === '.' ? file : file.slice(project.path.length + 1);

/** The first of these files that exists. */
export function firstOf(project: Project, names: readonly string[]): string | undefined {
  return names.find((name) => project.has(name));
}

/** Files directly inside the project whose name matches. */
export function topFiles(project: Project, pattern: RegExp): readonly string[] {
  return project.files.filter((file) => directoryOf(file) === '.' && pattern.test(baseOf(file)));
}
