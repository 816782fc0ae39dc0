import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import type { NoAnswer } from '../../ports/repository.ts';
import type { Git } from './git.ts';

const MOST = 20;

/**
 * Files of the user's own checkout that differ from what is committed. Asked under the lock of landings: what a
 * landing moves is never half way.
 */
export async function changedInCheckout(git: Git): Promise<Result<readonly string[], NoAnswer>> {
  const { mainWorkTree: path, commonDir: gitDir } = git.view.place;
  if (path === null) return ok([]);
  const status = await git
    .inside({ path, gitDir })
    .read(['status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=all']);
  if (!status.ok) return status;
  return ok(
    status.value.split('\0').flatMap((line) => {
      const file = line.slice(3);
      return file === '' ? [] : [file];
    }),
  );
}

/** Those of the changed files that were written since then. */
export async function writtenSince(
  git: Git,
  changed: Result<readonly string[], NoAnswer>,
  since: number,
): Promise<Result<readonly string[], NoAnswer>> {
  const { mainWorkTree: path } = git.view.place;
  if (!changed.ok || path === null) return changed;
  const written: string[] = [];
  for (const file of changed.value) {
    if (written.length === MOST) break;
    const found = await lstat(join(path, file)).catch(() => null);
    if (found !== null && found.mtimeMs >= since) written.push(file);
  }
  return ok(written);
}
