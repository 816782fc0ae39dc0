import { readFile, readdir, readlink, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Checkout } from './git.ts';

/**
 * Removes an `index.lock` that nobody will ever remove.
 *
 * Git writes no owner into it, and while an editor is open for a commit message it does not even
 * keep the file open. So a lock is abandoned when it is not fresh, no process has it open and no git
 * runs in that checkout; where the system does not tell, only age decides.
 */
export async function clearAbandonedIndexLock(
  checkout: Checkout,
  now: number = Date.now(),
): Promise<'absent' | 'removed' | 'held'> {
  const lock = join(checkout.gitDir, 'index.lock');
  const found = await stat(lock).catch(() => null);
  if (found === null) return 'absent';
  const age = now - found.mtimeMs;
  if (age < FRESH_MS) return 'held';
  const held = await isHeld(checkout, lock);
  if (held ?? age < OLD_MS) return 'held';
  await rm(lock, { force: true });
  return 'removed';
}

const FRESH_MS = 60_000;
const OLD_MS = 60 * 60_000;

/** Null where there is no /proc to look at. */
async function isHeld(checkout: Checkout, lock: string): Promise<boolean | null> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return null;
  for (const pid of pids) {
    if ((await worksIn(checkout, pid)) || (await hasOpen(lock, pid))) return true;
  }
  return false;
}

async function worksIn({ path, gitDir }: Checkout, pid: string): Promise<boolean> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  if (!name.startsWith('git')) return false;
  const place = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  return [path, gitDir].some((folder) => place === folder || place.startsWith(`${folder}/`));
}

async function hasOpen(lock: string, pid: string): Promise<boolean> {
  for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
    if ((await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')) === lock) return true;
  }
  return false;
}
