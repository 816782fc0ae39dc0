import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** A process that can be told from a later one with the same number. */
export type ProcessIdentity = { readonly pid: number; readonly startTime: string | null };

let self: Promise<ProcessIdentity> | undefined;

export function thisProcess(): Promise<ProcessIdentity> {
  self ??= startTimeOf(process.pid).then((startTime) => ({ pid: process.pid, startTime }));
  return self;
}

/** Whether that very process still runs; where the start time is unknown, its number decides. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  if (!answers(identity.pid)) return false;
  if (identity.startTime === null) return true;
  const now = await startTimeOf(identity.pid);
  return now === null ? answers(identity.pid) : now === identity.startTime;
}

/** A setting git does not know, there to be seen on the command line of a process of ours. */
export const MARK = 'convoy.mark';

/**
 * Waits until no process works under a mark any more.
 *
 * A process that is killed leaves its git children running; whoever repairs must not race with them.
 * Where there is no /proc this cannot be known and the wait is over at once.
 */
export async function untilDone(mark: string, patienceMs = 30_000): Promise<boolean> {
  const deadline = Date.now() + patienceMs;
  while (await isMarked(mark)) {
    if (Date.now() > deadline) return false;
    await wait(20);
  }
  return true;
}

/** Looks at git processes only, and only at their arguments: environments are nobody's business. */
async function isMarked(mark: string): Promise<boolean> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    if (name !== 'git\n') continue;
    const args = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (args.split('\0').includes(`${MARK}=${mark}`)) return true;
  }
  return false;
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not ours to signal, but there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Clock ticks since boot, the 22nd field of /proc/<pid>/stat; the name before it may hold anything. */
async function startTimeOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}
