import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import type { NoAnswer, WorkState } from '../../ports/repository.ts';
import type { Checkout, Git } from './git.ts';

/** What is going on in a checkout. */
export async function workState(
  git: Git,
  checkout: Checkout,
): Promise<Result<WorkState, NoAnswer>> {
  const unfinished = await unfinishedIn(checkout.gitDir);
  if (unfinished !== null) return ok(unfinished);
  const status = await git
    .inside(checkout)
    .read(['status', '--porcelain', '-z', '--ignore-submodules=all', '--untracked-files=normal']);
  return status.ok ? ok(status.value === '' ? 'clean' : 'dirty') : status;
}

export async function unfinishedIn(
  gitDir: string,
): Promise<Exclude<WorkState, 'clean' | 'dirty'> | null> {
  const has = (name: string): Promise<boolean> =>
    stat(join(gitDir, name)).then(
      () => true,
      () => false,
    );
  if ((await has('rebase-merge')) || (await has('rebase-apply'))) return 'rebasing';
  if (await has('MERGE_HEAD')) return 'merging';
  return (await has('CHERRY_PICK_HEAD')) || (await has('REVERT_HEAD')) ? 'picking' : null;
}
