import { cleanLine } from './clean.ts';
import { paletteFor, paintOf, textOf, type Cell } from './paint.ts';
import type { View } from './task-view.ts';
import { truncate, widthOf, wrapWide } from './width.ts';

/** The top of a page about one thing: its whole title, on as many lines as it needs. */
export function heading(id: string, title: string, view: View): string[] {
  const { bold } = paletteFor(view.color);
  return wrapWide(`${cleanLine(id)}  ${cleanLine(title)}`, view.columns).map((line) => bold(line));
}

/** Parts beside each other on one line; the last one is cut where the line ends. */
export function oneLine(parts: readonly Cell[], columns: number): string {
  let room = columns;
  return parts
    .map((part, at) => {
      const text = truncate(cleanLine(textOf(part)), Math.max(0, room));
      room -= widthOf(text) + 2;
      return (at === 0 ? '' : '  ') + paintOf(part)(text);
    })
    .join('')
    .trimEnd();
}
