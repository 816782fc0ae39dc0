import {
  type Answer,
  type Repository,
  type TreeId,
  type UnknownRevision,
} from '../ports/repository.ts';

const MOST = 2000;
const known = new WeakMap<Repository, Repository>();

/**
 * A repository that is asked each unchanging question once: what a commit holds, and what merging two
 * commits gives, is fixed by their names. Where branches point is never remembered.
 */
export function remembering(repository: Repository): Repository {
  const before = known.get(repository);
  if (before !== undefined) return before;
  const { facts, merges } = repository;
  const trees = new Map<string, Answer<TreeId, UnknownRevision>>();
  const contained = new Map<string, Answer<boolean, UnknownRevision>>();
  const made: Repository = {
    ...repository,
    facts: { ...facts, treeOf: (commit) => once(trees, commit, () => facts.treeOf(commit)) },
    merges: {
      ...merges,
      alreadyContained: (source, target) =>
        once(contained, `${source} ${target}`, () => merges.alreadyContained(source, target)),
    },
  };
  known.set(repository, made);
  return made;
}

/** Only answers are kept: a question that failed is asked again. */
async function once<T>(
  answers: Map<string, Answer<T, UnknownRevision>>,
  key: string,
  ask: () => Answer<T, UnknownRevision>,
): Answer<T, UnknownRevision> {
  const before = answers.get(key);
  if (before !== undefined) return before;
  if (answers.size >= MOST) answers.clear();
  const asked = ask();
  answers.set(key, asked);
  const answer = await asked;
  if (!answer.ok) answers.delete(key);
  return answer;
}
