import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { CommitId } from '../../ports/repository.ts';
import type { Checkout } from './git.ts';

const MOST_NAMES = 10_000;

/**
 * Makes a new, empty worktree known to a repository: the files that `git worktree add` leaves, as the
 * layout of a repository is documented. They appear all at once, where git adds them one by one and
 * another git that looks meanwhile fails. Null where refs are kept in another way, which only git knows.
 */
export async function registerWorktree(
  commonDir: string,
  path: string,
  at: CommitId,
): Promise<Checkout | null> {
  if (existsSync(join(commonDir, 'reftable'))) return null;
  const draft = join(commonDir, `convoy-worktree-${randomBytes(6).toString('hex')}`);
  await mkdir(path, { recursive: true });
  await mkdir(draft);
  try {
    await writeFile(join(draft, 'gitdir'), `${join(path, '.git')}\n`);
    await writeFile(join(draft, 'commondir'), '../..\n');
    await writeFile(join(draft, 'HEAD'), `${at}\n`);
    return { path, gitDir: await place(draft, join(commonDir, 'worktrees'), basename(path)) };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Under the name of its folder, or that with a number: other worktrees may have the same. */
async function place(draft: string, admin: string, name: string): Promise<string> {
  for (let number = 0; number < MOST_NAMES; number += 1) {
    const gitDir = join(admin, number === 0 ? name : `${name}${number}`);
    if (existsSync(gitDir)) continue;
    try {
      await rename(draft, gitDir);
      return gitDir;
    } catch (error) {
      // Somebody was quicker; an empty folder would have been replaced.
      if (!existsSync(gitDir)) throw error;
    }
  }
  throw new Error(`no name is left for ${name}`);
}
