import { err } from '../../lib/result.ts';
import { type MergeAnswer, type MergeQuestion, MERGE_TREE } from './merge-answers.ts';
import { type DiffQuestion, diffTrees } from './diff-answers.ts';
import { CAT_FILE, type Objects } from './objects.ts';
import { errored, type RunnerOptions } from './run.ts';
import { type RefUpdate, updateRefs } from './ref-updates.ts';
import { type Standing, standing } from './standing.ts';
import type { View } from './view.ts';

/** The gits that stay with a repository while it is worked in. */
export type Staying = {
  readonly objects: Objects;
  /** Moves refs, with this word in their logs. */
  readonly refs: (because: string) => Standing<RefUpdate, 'moved'>;
  /** Merges under the attributes that lie in this folder. */
  readonly merges: (folder: string) => Standing<MergeQuestion, MergeAnswer>;
  /** Compares trees as `diff-tree` with these arguments does. */
  readonly diffs: (args: string) => Standing<DiffQuestion, Buffer>;
};

const nobody = <Question, Answer>(what: string): Standing<Question, Answer> => ({
  ask: () => Promise.resolve(err(errored('io', what, 'nobody is there to ask'))),
});

/** For a git that is asked little: every question is a process of its own. */
export const NONE_STAYS: Staying = {
  objects: nobody('git cat-file'),
  refs: () => nobody('git update-ref'),
  merges: () => nobody('git merge-tree'),
  diffs: () => nobody('git diff-tree'),
};

export function stayingOf(view: View, options: RunnerOptions): Staying {
  const env = { GIT_DIR: view.place.commonDir, GIT_COMMON_DIR: view.commonDir };
  const base = { cwd: view.nowhere, env };
  return {
    objects: standing(CAT_FILE, base, options),
    refs: eachOf((because) => standing(updateRefs(because), base, options)),
    merges: eachOf((folder) =>
      standing(MERGE_TREE, { cwd: folder, env }, { ...options, answerMs: ANSWER_MS }),
    ),
    diffs: eachOf((args) => standing(diffTrees(args.split(' ')), base, options)),
  };
}

/** A merge that takes longer is done again by a git of its own, which may take its time. */
const ANSWER_MS = 3000;
/** Attributes differ rarely between commits, and there are few words for logs. */
const MOST = 8;

/** One for every name, made when it is first asked. */
function eachOf<Question, Answer>(
  make: (name: string) => Standing<Question, Answer>,
): (name: string) => Standing<Question, Answer> {
  const known = new Map<string, Standing<Question, Answer>>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= MOST) known.clear();
    const fresh = make(name);
    known.set(name, fresh);
    return fresh;
  };
}
