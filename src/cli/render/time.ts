const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `0.4s`, `12s`, `3m 04s`, `2h 05m`, `3d 4h`: two units at most, rounded down. */
export function duration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < SECOND) return `${Math.floor(span / 100) / 10}s`;
  if (span < MINUTE) return `${Math.floor(span / SECOND)}s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)}m ${two((span % MINUTE) / SECOND)}s`;
  if (span < DAY) return `${Math.floor(span / HOUR)}h ${two((span % HOUR) / MINUTE)}m`;
  return `${Math.floor(span / DAY)}d ${Math.floor((span % DAY) / HOUR)}h`;
}

/** `just now`, `5m ago`, `in 2h`: one unit, for lists. */
export function relative(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 5 * SECOND) return 'just now';
  const span = largest(distance);
  return at <= now ? `${span} ago` : `in ${span}`;
}

function largest(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`;
  return `${Math.floor(ms / DAY)}d`;
}

const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
