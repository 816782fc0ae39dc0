const UNITS = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
const SHAPE = /^(?:(?<h>\d+)h)?(?:(?<m>\d+)m(?!s))?(?:(?<s>\d+)s)?(?:(?<ms>\d+)ms)?$/;

/** Milliseconds of "1h30m", "90s", "500ms" or a number of seconds; null when it is none. */
export function durationMs(written: string | number): number | null {
  if (typeof written === 'number') {
    return whole(Math.round(written * 1_000));
  }
  const parts = written === '' ? undefined : SHAPE.exec(written)?.groups;
  if (parts === undefined) return null;
  const total = Object.entries(UNITS).reduce(
    (sum, [unit, size]) => sum + Number(parts[unit] ?? 0) * size,
    0,
  );
  return whole(total);
}

const whole = (ms: number): number | null => (Number.isSafeInteger(ms) && ms >= 0 ? ms : null);
