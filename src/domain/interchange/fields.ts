/** A JSON object of another tool, before we know what its fields mean. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Text as both databases can keep it: without NUL and without halves of characters. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : null;
}

/** Trimmed text; empty when there is none. */
export const wordOf = (value: unknown): string => textOf(value)?.trim() ?? '';

/** The same JSON, to the byte. */
export const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));

/** Writing JSON recurses, so what is nested without end must be turned away while reading. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
};

/** Drops what is not there; made so that a field called `__proto__` is only a field. */
export const fieldsFrom = (entries: Iterable<readonly [string, unknown]>): Fields =>
  Object.fromEntries([...entries].filter(([, value]) => value !== undefined));
