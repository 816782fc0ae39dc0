import type { TaskCore } from '../work/task.ts';
import { isFields, isSame, type Fields } from './fields.ts';

/** What a task remembers of the row that it came from, for the way back. */
export type BeadsExtra = {
  /** Fields that we have no word for, as they were and in their order. */
  readonly fields: Fields;
  /** Fields that we would write differently, by name. */
  readonly originals: Readonly<Record<string, Original>>;
  /** What was said about the edge to the parent. */
  readonly parentEdge: Fields;
  /** JSON of fields with numbers that only their text can hold, by name. */
  readonly texts: Readonly<Record<string, string>>;
};

/** A field as it `was` in the row, and `as` we would write it; either may be absent. */
export type Original = { readonly was?: unknown; readonly as?: unknown };

const PLACE = 'beads';

export function beadsExtra(extra: TaskCore['extra']): BeadsExtra {
  const kept = extra[PLACE];
  const part = (name: keyof BeadsExtra): Fields => {
    const value = isFields(kept) ? kept[name] : undefined;
    return isFields(value) ? value : {};
  };
  return {
    fields: part('fields'),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written below and nowhere else
    originals: part('originals') as BeadsExtra['originals'],
    parentEdge: part('parentEdge'),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written below and nowhere else
    texts: part('texts') as BeadsExtra['texts'],
  };
}

export function withBeadsExtra(
  extra: TaskCore['extra'],
  remembered: BeadsExtra,
): TaskCore['extra'] {
  const { [PLACE]: _before, ...others } = extra;
  const parts = Object.entries(remembered).filter(([, part]) => Object.keys(part).length > 0);
  return parts.length === 0 ? others : { ...others, [PLACE]: Object.fromEntries(parts) };
}

/** The fields of a row that our own writing would not give back. */
export function originalsOf(
  row: Fields,
  plain: Fields,
  known: readonly string[],
): BeadsExtra['originals'] {
  const differing = known.filter((name) => !isSame(row[name], plain[name]));
  return Object.fromEntries(
    differing.map((name) => [name, { ...part('was', row[name]), ...part('as', plain[name]) }]),
  );
}

const part = (name: 'was' | 'as', value: unknown): Original =>
  value === undefined ? {} : { [name]: value };

/** The field as it was, as long as nobody changed what it means. */
export const givenBack = (original: Original | undefined, plain: unknown): unknown =>
  original && isSame(original.as, plain) ? original.was : plain;
