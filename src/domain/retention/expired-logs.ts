import type { Instant } from '../work/ids.ts';

/** What one execution left on disk. */
export type KeptLog = {
  readonly name: string;
  readonly bytes: number;
  /** When something was last written there. */
  readonly lastAt: Instant;
};

/** How long and how much is kept; 0 is without that limit. */
export type Retention = { readonly days: number; readonly gb: number };

const DAY_MS = 86_400_000;
const GB = 1e9;

/**
 * Which logs may go: those that are too old, and then the oldest until the rest fits. What belongs to
 * something that is not over yet is never among them, however old or large.
 */
export function expiredLogs(
  logs: readonly KeptLog[],
  isOpen: (name: string) => boolean,
  { days, gb }: Retention,
  now: Instant,
): string[] {
  const closed = logs
    .filter(({ name }) => !isOpen(name))
    .toSorted((a, b) => a.lastAt - b.lastAt || (a.name < b.name ? -1 : 1));
  const isOld = ({ lastAt }: KeptLog): boolean => days > 0 && now - lastAt > days * DAY_MS;
  const old = closed.filter(isOld);
  let left = sizeOf(logs) - sizeOf(old);
  const more: KeptLog[] = [];
  for (const log of closed.filter((each) => !isOld(each))) {
    if (gb === 0 || left <= gb * GB) break;
    more.push(log);
    left -= log.bytes;
  }
  return [...old, ...more].map(({ name }) => name);
}

const sizeOf = (logs: readonly KeptLog[]): number =>
  logs.reduce((sum, { bytes }) => sum + bytes, 0);

/** Before this instant nothing that is over needs to be kept; null when there is no such limit. */
export const keptSince = ({ days }: Retention, now: Instant): Instant | null =>
  days === 0 ? null : now - days * DAY_MS;
