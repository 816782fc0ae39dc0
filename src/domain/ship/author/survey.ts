import { foldName } from './ownership.ts';
import { ancestors, baseOf, directoryOf } from './paths.ts';

/** What stands at a path, in the working tree, in the commit, or in both. */
export type Entry = {
  readonly path: string;
  readonly sort: 'file' | 'directory' | 'symlink' | 'submodule' | 'other';
  /** Digests of every version seen; only files that Convoy might write are digested. */
  readonly digests: readonly string[];
};

/** Everything known about the directories that files may go into: one entry per path and sort. */
export type Survey = readonly Entry[];

export type PlaceRefusal = 'through-symlink' | 'not-a-directory' | 'not-a-file' | 'name-variant';

/** Why nothing may be written at a path because of what stands there or above it. */
export function placeRefusal(path: string, survey: Survey): PlaceRefusal | null {
  for (const directory of ancestors(path).slice(1)) {
    const refusal = directoryStanding(directory, survey);
    if (refusal !== null) return refusal;
  }
  const here = survey.filter((entry) => entry.path === path);
  if (here.some(({ sort }) => sort === 'symlink')) return 'through-symlink';
  if (here.some(({ sort }) => sort !== 'file')) return 'not-a-file';
  return hasVariant(path, survey) ? 'name-variant' : null;
}

function directoryStanding(directory: string, survey: Survey): PlaceRefusal | null {
  const here = survey.filter((entry) => entry.path === directory);
  if (here.some(({ sort }) => sort === 'symlink')) return 'through-symlink';
  if (here.some(({ sort }) => sort !== 'directory')) return 'not-a-directory';
  return hasVariant(directory, survey) ? 'name-variant' : null;
}

/** A neighbour whose name is the same on some file system, such as `dockerfile` beside `Dockerfile`. */
function hasVariant(path: string, survey: Survey): boolean {
  const [directory, folded] = [directoryOf(path), foldName(baseOf(path))];
  return survey.some(
    (entry) =>
      entry.path !== path &&
      directoryOf(entry.path) === directory &&
      foldName(baseOf(entry.path)) === folded,
  );
}

export const digestsAt = (path: string, survey: Survey): readonly string[] =>
  survey.filter((entry) => entry.path === path).flatMap(({ digests }) => digests);

export const hasFile = (path: string, survey: Survey): boolean =>
  survey.some((entry) => entry.path === path && entry.sort === 'file');
