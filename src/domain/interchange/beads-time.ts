import type { Instant } from '../work/ids.ts';

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?)?([Zz]|[+-]\d\d:?\d\d)?$/;
const LONGEST_TIME = 50;

/** Reads a time of any precision and offset to the millisecond; without an offset it is UTC. */
export function readTime(value: unknown): Instant | null {
  if (typeof value !== 'string' || value.length > LONGEST_TIME) return null;
  const match = TIME.exec(value.trim());
  if (!match) return null;
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const date = Date.UTC(year!, month! - 1, day, hour, minute, second);
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  // The 31st of a short month, or a 13th month, would quietly become another day.
  const written = new Date(date).toISOString().slice(0, 16).replace('T', ' ');
  const asked = `${match[1]}-${match[2]}-${match[3]} ${match[4] ?? '00'}:${match[5] ?? '00'}`;
  if (written !== asked) return null;
  return date + milliseconds - offsetOf(match[8]);
}

function offsetOf(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000;
}

/** As beads writes it: UTC, and no zeros at the end of the fraction. */
export const writeTime = (at: Instant): string =>
  new Date(at)
    .toISOString()
    .replace(/\.(\d*?)0*Z$/, (_end, digits: string) => (digits === '' ? 'Z' : `.${digits}Z`));
