import type { Layout, Spot } from './scan.ts';

/** The offset where the line of this offset begins. */
export const lineStart = (text: string, offset: number): number =>
  text.lastIndexOf('\n', offset - 1) + 1;

/** The offset just after the line of this offset, its line end included. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** The line end that the file itself uses. */
export const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** Just after the last line that belongs to a section: its last key, or its header. */
export function sectionEnd(layout: Layout, section: number): number {
  const last = pairsOf(layout, section).at(-1)?.end ?? layout.sections[section]?.end ?? 0;
  return lineEnd(layout.text, last);
}

/**
 * Where another header can follow a section: behind its comments too, because a hint that is
 * uncommented must land in the table it was written for. What stands right above the next header
 * belongs to that one.
 */
export function roomAfter(layout: Layout, section: number): number {
  const { text, sections } = layout;
  const from = sectionEnd(layout, section);
  const next = sections[section + 1]?.start;
  const until = next === undefined ? text.length : lineStart(text, next);
  const below = text.slice(from, until);
  const own = next === undefined ? below : below.replace(/(?:[ \t]*#[^\n]*\n)+$/, '');
  const written = own.trimEnd().length;
  return written === 0 ? from : lineEnd(text, from + written - 1);
}

export const pairsOf = (layout: Layout, section: number): readonly Spot[] =>
  layout.spots.filter((spot) => spot.section === section && spot.within === 'section');

/** Puts whole lines in at an offset that begins a line or ends the text. */
export function insertLines(text: string, offset: number, lines: readonly string[]): string {
  const eol = eolOf(text);
  const before = text.slice(0, offset);
  const gap = before === '' || before.endsWith('\n') ? '' : eol;
  return `${before}${gap}${lines.map((line) => line + eol).join('')}${text.slice(offset)}`;
}
