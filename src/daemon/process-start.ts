import { readFileSync } from 'node:fs';

/** Field 22 of /proc/<pid>/stat, counted behind the command name, which may hold anything. */
const START_FIELD = 19;

/**
 * A number that tells a process from a later one with the same pid; null when there is none. Where
 * the system shows no start time, a living process counts as the same (0).
 */
export function processStart(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : Number(fields[START_FIELD]);
  } catch {
    return process.platform !== 'linux' && isAlive(pid) ? 0 : null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
