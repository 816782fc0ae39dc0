import { ok, type Result } from '../../lib/result.ts';
import type { CommitId, NoAnswer, UnknownRevision, Worktree } from '../../ports/repository.ts';
import { about, type Git } from './git.ts';

/** Begins a merge in a worktree and leaves it there, conflicts and all, for somebody to finish. */
export async function beginMerge(
  git: Git,
  worktree: Worktree,
  theirs: CommitId,
): Promise<Result<{ readonly conflicted: boolean }, UnknownRevision | NoAnswer>> {
  const inside = git.inside(worktree);
  const args = ['merge', '--no-commit', '--no-ff', '--no-verify', '--no-stat', '-q', theirs];
  // 1 is a conflict, which is what this is for.
  const done = await about(inside, [theirs], { args }, ({ code }) => code === 0 || code === 1);
  return done.ok ? ok({ conflicted: done.value.code === 1 }) : done;
}
