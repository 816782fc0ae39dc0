import { readFile } from 'node:fs/promises';

/** A process that can be told from a later one with the same number. */
export type ProcessIdentity = { readonly pid: number; readonly startTime: string | null };

export async function thisProcess(): Promise<ProcessIdentity> {
  return { pid: process.pid, startTime: await startTimeOf(process.pid) };
}

/** Whether that very process still runs; where the start time is unknown, its number decides. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  if (!answers(identity.pid)) return false;
  if (identity.startTime === null) return true;
  const now = await startTimeOf(identity.pid);
  return now === null ? answers(identity.pid) : now === identity.startTime;
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
