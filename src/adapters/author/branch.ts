import { err, ok, type Result } from '../../lib/result.ts';
import type { AuthorPlace, AuthorRefusal } from '../../ports/author.ts';
import type { CommitId, NoAnswer } from '../../ports/repository.ts';
import { gitFailed, read } from './git-steps.ts';

type Step<T> = Promise<Result<T, AuthorRefusal | NoAnswer>>;
type Place = Pick<AuthorPlace, 'git'>;

/** The branch of a plan, or null for an id that is no part of a branch name. */
export const branchOf = (planId: string): string | null =>
  /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(planId) ? `convoy/${planId}` : null;

/** Where a branch is, and the checkout that somebody has it in. */
export type SeenBranch = { readonly now: CommitId | null; readonly checkout: string | null };

export async function lookAtBranch(place: Place, branch: string): Step<SeenBranch> {
  const now = await branchHead(place, branch);
  if (!now.ok) return now;
  const listed = await read(place.git, { args: ['worktree', 'list', '--porcelain', '-z'] });
  return listed.ok ? ok({ now: now.value, checkout: standingOn(listed.value, branch) }) : listed;
}

/**
 * Why the branch cannot be ours, as far as that is known before the commit is made.
 *
 * A branch somewhere else than expected may still be the very commit we are about to make: then an
 * earlier run got this far and was killed before it could say so.
 */
export function notOurs(
  branch: string,
  { now, checkout }: SeenBranch,
  expected: CommitId | null,
): AuthorRefusal | null {
  if (now === null && expected !== null) return { kind: 'branch_moved', branch, now };
  return checkout === null ? null : { kind: 'branch_in_use', branch, checkout };
}

/** Moves the branch only if it still is where it was expected; null means that there is none yet. */
export async function moveBranch(
  place: Place,
  branch: string,
  to: CommitId,
  from: CommitId | null,
  seen: SeenBranch,
): Step<void> {
  if (seen.now === to) return ok(undefined);
  if (seen.now !== from) return err({ kind: 'branch_moved', branch, now: seen.now });
  const ref = `refs/heads/${branch}`;
  const before = from ?? '0'.repeat(to.length);
  const args = ['update-ref', '--create-reflog', '-m', 'convoy: author', ref, to, before];
  const done = await place.git({ args });
  if (!done.ok) return done;
  if (done.value.code === 0) return ok(undefined);
  const now = await branchHead(place, branch);
  if (now.ok && now.value === to) return ok(undefined);
  if (now.ok && now.value !== from) return err({ kind: 'branch_moved', branch, now: now.value });
  return err(gitFailed({ args }, done.value));
}

async function branchHead(
  place: Place,
  branch: string,
): Promise<Result<CommitId | null, NoAnswer>> {
  const args = ['show-ref', '--verify', '--hash', '--', `refs/heads/${branch}`];
  const done = await place.git({ args });
  if (!done.ok) return done;
  if (done.value.code === 0) return ok(done.value.stdout.toString('utf8').trim());
  return done.value.stderr.includes('not a valid ref')
    ? ok(null)
    : err(gitFailed({ args }, done.value));
}

function standingOn(porcelain: string, branch: string): string | null {
  let path = '';
  for (const field of porcelain.split('\0')) {
    if (field.startsWith('worktree ')) path = field.slice('worktree '.length);
    if (field === `branch refs/heads/${branch}`) return path;
  }
  return null;
}
