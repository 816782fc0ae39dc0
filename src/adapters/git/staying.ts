import { err } from '../../lib/result.ts';
import { COMMITS, type CommitWriter } from './commit-writer.ts';
import { type MergeAnswer, type MergeQuestion, MERGE_TREE } from './merge-answers.ts';
import { CAT_FILE, type Objects } from './objects.ts';
import { errored, type RunnerOptions } from './run.ts';
import { type Standing, standing } from './standing.ts';
import type { View } from './view.ts';

/** The gits that stay with a repository while it is worked in. */
export type Staying = {
  readonly objects: Objects;
  readonly commits: CommitWriter;
  /** Merges under the attributes that lie in this folder. */
  merges(folder: string): Standing<MergeQuestion, MergeAnswer>;
};

const nobody = <Question, Answer>(what: string): Standing<Question, Answer> => ({
  ask: () => Promise.resolve(err(errored('io', what, 'nobody is there to ask'))),
});

/** For a git that is asked little: every question is a process of its own. */
export const NONE_STAYS: Staying = {
  objects: nobody('git cat-file'),
  commits: nobody('git hash-object'),
  merges: () => nobody('git merge-tree'),
};

export function stayingOf(view: View, options: RunnerOptions): Staying {
  const env = { GIT_DIR: view.place.commonDir, GIT_COMMON_DIR: view.commonDir };
  const base = { cwd: view.nowhere, env };
  return {
    objects: standing(CAT_FILE, base, options),
    commits: standing(COMMITS, base, options),
    merges: mergesIn(env, options),
  };
}

/** Commits differ rarely in their attributes. */
const MOST_FOLDERS = 8;
/** A merge that takes longer is done again by a git of its own, which may take its time. */
const ANSWER_MS = 3000;

function mergesIn(env: Readonly<Record<string, string>>, options: RunnerOptions) {
  const known = new Map<string, Standing<MergeQuestion, MergeAnswer>>();
  return (folder: string): Standing<MergeQuestion, MergeAnswer> => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    if (known.size >= MOST_FOLDERS) known.clear();
    const fresh = standing(MERGE_TREE, { cwd: folder, env }, { ...options, answerMs: ANSWER_MS });
    known.set(folder, fresh);
    return fresh;
  };
}
