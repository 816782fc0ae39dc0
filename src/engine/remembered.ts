import type { Repository } from '../ports/repository.ts';

const MOST = 2000;
/** Commits that nothing points at may be cleared away by git after a while. */
const LONGEST_MS = 10 * 60 * 1000;

const known = new WeakMap<Repository, Repository>();

/**
 * A repository that is asked each unchanging question once: what a commit holds, and what merging two
 * commits gives, is fixed by their names. Where branches point is never remembered.
 */
export function remembering(repository: Repository): Repository {
  const before = known.get(repository);
  if (before !== undefined) return before;
  const { facts, merges } = repository;
  const made: Repository = {
    ...repository,
    facts: { ...facts, treeOf: once((commit: string) => facts.treeOf(commit)) },
    merges: {
      ...merges,
      alreadyContained: once((source: string, target: string) =>
        merges.alreadyContained(source, target),
      ),
      build: once((...question: Parameters<Repository['merges']['build']>) =>
        merges.build(...question),
      ),
    },
  };
  known.set(repository, made);
  return made;
}

/** Only answers are kept: a question that failed is asked again. */
function once<Question extends readonly unknown[], Answer extends { readonly ok: boolean }>(
  ask: (...question: Question) => Promise<Answer>,
): (...question: Question) => Promise<Answer> {
  const answers = new Map<string, { at: number; answer: Promise<Answer> }>();
  return async (...question) => {
    const key = JSON.stringify(question);
    const before = answers.get(key);
    const now = performance.now();
    if (before !== undefined && now - before.at < LONGEST_MS) return before.answer;
    if (answers.size >= MOST) answers.clear();
    const answer = ask(...question);
    answers.set(key, { at: now, answer });
    const said = await answer;
    if (!said.ok) answers.delete(key);
    return said;
  };
}
