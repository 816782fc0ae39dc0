import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitId } from '../../ports/repository.ts';

/** Keeps a copy of the index as our own checkout of a commit left it, out of the reach of its next user. */
export async function keepIndex(index: string, copy: string, at: CommitId): Promise<void> {
  await copyFile(index, copy);
  await writeFile(commitOf(copy), at);
}

/** Whether the index of a worktree is still the one of our checkout, and HEAD the commit of it. */
export async function isUntouched(
  gitDir: string,
  copy: string | undefined,
  head: CommitId,
): Promise<boolean> {
  if (copy === undefined) return false;
  try {
    const [at, ours, theirs] = await Promise.all([
      readFile(commitOf(copy), 'utf8'),
      readFile(copy),
      readFile(join(gitDir, 'index')),
    ]);
    return at === head && ours.equals(theirs);
  } catch {
    return false;
  }
}

const commitOf = (copy: string): string => `${copy}.at`;
