import { readFileSync } from 'node:fs';

/** How far the numbers of processes had come at some time, and how many were ever given out. */
export type Moment = { readonly last: number; readonly forks: number };

/** Null where the system does not say. */
export function momentNow(): Moment | null {
  if (!isOfThisSystem()) return null;
  try {
    const last = Number(readFileSync('/proc/loadavg', 'utf8').trim().split(' ').at(-1));
    const forks = Number(/^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);
    return Number.isInteger(last) && Number.isInteger(forks) ? { last, forks } : null;
  } catch {
    return null;
  }
}

/**
 * The lowest number that a process begun after this moment can have. Numbers go up, and begin again at the end:
 * if they may have done so since then, that is any.
 */
export function lowestSince(moment: Moment | null): number {
  const now = momentNow();
  if (moment === null || now === null) return 0;
  const hasWrapped = now.last < moment.last || now.forks - moment.forks >= mostNumbers() / 2;
  return hasWrapped ? 0 : moment.last;
}

let isOurs: boolean | undefined;
/** Some containers are shown what is true of their host, by a file of its own: numbers there are not ours. */
function isOfThisSystem(): boolean {
  try {
    isOurs ??= !/ \/proc\/(?:loadavg|stat) /.test(readFileSync('/proc/self/mountinfo', 'utf8'));
    return isOurs;
  } catch {
    return false;
  }
}

let most: number | undefined;
function mostNumbers(): number {
  try {
    return (most ??= Number(readFileSync('/proc/sys/kernel/pid_max', 'utf8')));
  } catch {
    return 0;
  }
}
