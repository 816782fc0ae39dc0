import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import type { NoAnswer } from '../../ports/repository.ts';
import type { Git } from './git.ts';

const MOST = 20;

/**
 * Files of the user's own checkout that differ from what is committed and were written since then. Asked
 * under the lock of landings: what a landing moves is never half way.
 */
export async function straysIn(
  git: Git,
  since: number,
): Promise<Result<readonly string[], NoAnswer>> {
  const { mainWorkTree: path, commonDir: gitDir } = git.view.place;
  if (path === null) return ok([]);
  const status = await git
    .inside({ path, gitDir })
    .read(['status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=all']);
  if (!status.ok) return status;
  const files = status.value.split('\0').flatMap((line) => {
    const file = line.slice(3);
    return file === '' ? [] : [file];
  });
  const written: string[] = [];
  for (const file of files) {
    if (written.length === MOST) break;
    const found = await lstat(join(path, file)).catch(() => null);
    if (found !== null && found.mtimeMs >= since) written.push(file);
  }
  return ok(written);
}
