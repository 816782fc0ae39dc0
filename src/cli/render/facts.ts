import { clean, cleanLine } from './clean.ts';
import { paintOf, textOf, type Cell, type Paint } from './paint.ts';
import { padEnd, widthOf, wrapWide } from './width.ts';

/** A fact without a value is left out. */
export type Fact = readonly [name: string, value: Cell | null | undefined];

/** Names and values in two columns, values wrapped under themselves. */
export function facts(
  list: readonly Fact[],
  width: number,
  names: Paint = (text) => text,
): string[] {
  const known = list.flatMap(([name, value]) => (value == null ? [] : [{ name, value }]));
  const left = known.reduce((most, { name }) => Math.max(most, widthOf(cleanLine(name))), 0);
  const indent = ' '.repeat(left + 2);
  const room = Math.max(1, width - indent.length);
  return known.flatMap(({ name, value }) => {
    const label = names(padEnd(cleanLine(name), left));
    return wrapWide(clean(textOf(value)), room).map((line, at) =>
      `${at === 0 ? `${label}  ` : indent}${paintOf(value)(line)}`.trimEnd(),
    );
  });
}
