import { cleanLine } from './clean.ts';
import { paintOf, textOf, type Cell, type Paint } from './paint.ts';
import { padEnd, padStart, truncate, widthOf } from './width.ts';

export type Column = {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Never narrower than this while there is room for anything at all. */
  readonly min?: number;
  readonly max?: number;
};

const GAP = 2;

/** Rows under titles, no line wider than the width given; the widest columns give way first. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  titles: Paint = (text) => text,
): string[] {
  const body = rows.map((row) =>
    columns.map((_, at) => ({
      text: cleanLine(textOf(row[at] ?? '')),
      paint: paintOf(row[at] ?? ''),
    })),
  );
  const head = columns.map(({ title }) => ({ text: title, paint: titles }));
  const widths = fit(columns, wanted(columns, [head, ...body]), width);
  return [head, ...body].map((row) =>
    row
      .map(({ text, paint }, at) => {
        const room = widths[at] ?? 0;
        const cut = truncate(text, room);
        const last = at === columns.length - 1;
        if (columns[at]?.align === 'right') return padStart('', room - widthOf(cut)) + paint(cut);
        return paint(cut) + (last ? '' : padEnd('', room - widthOf(cut)));
      })
      .filter((_, at) => (widths[at] ?? 0) > 0)
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

function wanted(
  columns: readonly Column[],
  rows: readonly (readonly { text: string }[])[],
): number[] {
  return columns.map((column, at) => {
    const widest = rows.reduce((most, row) => Math.max(most, widthOf(row[at]?.text ?? '')), 0);
    return Math.min(Math.max(widest, column.min ?? 0), column.max ?? Infinity);
  });
}

/** Takes room from the widest column above its least width, again and again, until all fits. */
function fit(columns: readonly Column[], widths: readonly number[], width: number): number[] {
  const fitted = [...widths];
  const least = columns.map(({ min, title }) => min ?? Math.min(widthOf(title), 4));
  for (const floor of [least, columns.map(() => 0)]) {
    let excess = total(fitted) - width;
    while (excess > 0) {
      const at = widestAbove(fitted, floor);
      if (at === -1) break;
      fitted[at] = (fitted[at] ?? 0) - 1;
      excess = total(fitted) - width;
    }
  }
  return fitted;
}

function widestAbove(widths: readonly number[], floor: readonly number[]): number {
  let found = -1;
  for (const [at, width] of widths.entries()) {
    if (width > (floor[at] ?? 0) && width > (widths[found] ?? 0)) found = at;
  }
  return found;
}

const total = (widths: readonly number[]): number => {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, shown.length - 1);
};
