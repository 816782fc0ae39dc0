import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type { CommitId, NoAnswer, UnknownRevision, Worktree } from '../../ports/repository.ts';
import { identityOf } from './commit.ts';
import { failed, fields, type Git, isObjectId, resolveAs } from './git.ts';

/**
 * Begins a merge in a worktree and leaves it open: markers in the files, both sides in the index.
 * A merge that is open there already is left as it is, so that a restart finds its own.
 */
export async function startMerge(
  git: Git,
  worktree: Worktree,
  commit: CommitId,
): Promise<Result<{ conflicts: readonly string[] }, UnknownRevision | NoAnswer>> {
  const theirs = await resolveAs(git, commit, 'commit');
  if (!theirs.ok) return theirs;
  const inside = git.inside(worktree);
  if ((await openMerge(worktree.gitDir)).length === 0) {
    const args = ['merge', '--no-commit', '--no-ff', '--no-edit', '--quiet', theirs.value];
    const identity = await identityOf(git);
    if (!identity.ok) return identity;
    // Nothing is committed here, but git refuses to begin without knowing who would.
    const { name, email } = identity.value;
    const env = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
    const done = await inside.run({ args, env });
    if (!done.ok) return done;
    const isOpen = (await openMerge(worktree.gitDir)).length > 0;
    if (done.value.code !== 0 && !isOpen) return err(failed(args, done.value));
  }
  const unmerged = await inside.read(['ls-files', '-z', '--unmerged']);
  if (!unmerged.ok) return unmerged;
  const paths = fields(unmerged.value).map((row) => row.slice(row.indexOf('\t') + 1));
  return ok({ conflicts: [...new Set(paths)] });
}

/** The commits that a merge under way brings in; none when there is none. */
export async function openMerge(gitDir: string): Promise<CommitId[]> {
  const text = await readFile(join(gitDir, 'MERGE_HEAD'), 'utf8').catch(() => '');
  return text.split('\n').filter(isObjectId);
}
