import { readdir, readlink, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes an `index.lock` that nobody will ever remove.
 *
 * Git writes no owner into it. Where /proc tells which files are open, a lock that no process holds
 * is abandoned after a moment (git closes it just before the rename); elsewhere only age decides.
 */
export async function clearAbandonedIndexLock(
  gitDir: string,
  now: number = Date.now(),
): Promise<'absent' | 'removed' | 'held'> {
  const lock = join(gitDir, 'index.lock');
  const found = await stat(lock).catch(() => null);
  if (found === null) return 'absent';
  const held = await isOpenSomewhere(lock);
  const age = now - found.mtimeMs;
  const abandoned = held === null ? age > OLD_MS : !held && age > MOMENT_MS;
  if (!abandoned) return 'held';
  await rm(lock, { force: true });
  return 'removed';
}

const OLD_MS = 10 * 60_000;
const MOMENT_MS = 5_000;

/** Null where the system does not say. */
async function isOpenSomewhere(file: string): Promise<boolean | null> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return null;
  for (const pid of pids) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      if ((await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')) === file) return true;
    }
  }
  return false;
}
