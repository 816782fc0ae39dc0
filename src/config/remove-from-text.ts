import { lineEnd, lineStart, pairsOf } from './lines.ts';
import { isUnder, samePath, type Layout, type Path, type Spot } from './scan.ts';

type Span = { readonly start: number; readonly end: number };

/** The text without a key, or without a table with everything below it. */
export function removed(layout: Layout, path: Path): string | null {
  const inner = layout.spots.find((spot) => spot.within !== 'section' && samePath(spot.path, path));
  if (inner !== undefined) return cut(layout.text, [itemSpan(layout, inner)]);
  const inline = layout.spots.some((spot) => spot.within === 'table' && isUnder(spot.path, path));
  const spans = [...sectionSpans(layout, path), ...pairSpans(layout, path)];
  if (spans.length === 0 && inline) return cut(layout.text, dottedItems(layout, path));
  return spans.length === 0 ? null : cut(layout.text, spans);
}

/** An item of an inline table or list together with the comma that it no longer needs. */
function itemSpan(layout: Layout, item: Span & Pick<Spot, 'section' | 'valueStart'>): Span {
  const after = /^(?:[ \t\r\n]|#[^\n]*\n)*,[ \t]*/.exec(layout.text.slice(item.end))?.[0];
  if (after !== undefined) return { start: item.start, end: item.end + after.length };
  const before = /,[ \t]*$/.exec(layout.text.slice(0, item.start))?.[0].length;
  return { start: item.start - (before ?? 0), end: item.end };
}

/** `a.b` and `a.c` of an inline table, when `a` is to go. */
const dottedItems = (layout: Layout, path: Path): Span[] =>
  layout.spots
    .filter((spot) => spot.within === 'table' && isUnder(spot.path, path))
    .map((spot) => itemSpan(layout, spot));

function pairSpans(layout: Layout, path: Path): Span[] {
  return layout.spots
    .filter((spot) => spot.within === 'section' && isUnder(spot.path, path))
    .filter((spot) => !isUnder(layout.sections[spot.section]?.path ?? [], path))
    .map((spot) => ({
      start: lineStart(layout.text, spot.start),
      end: lineEnd(layout.text, spot.end),
    }));
}

function sectionSpans(layout: Layout, path: Path): Span[] {
  return layout.sections.flatMap((section, index) => {
    if (section.kind === 'top' || !isUnder(section.path, path)) return [];
    const last = pairsOf(layout, index).at(-1)?.end ?? section.end;
    const start = lineStart(layout.text, section.start);
    const head = start - commentAbove(layout.text.slice(0, start));
    const tail = lineEnd(layout.text, last);
    return [{ start: head, end: tail + commentBelow(layout.text.slice(tail)) }];
  });
}

/** A comment block that stands by itself right above a header speaks of that table. */
function commentAbove(before: string): number {
  const block = /\n[ \t]*\r?\n((?:[ \t]*#[^\n]*\n)+)$/.exec(before)?.[1];
  return block?.length ?? 0;
}

/** Comments right below the last key belong to the table, unless the next header follows at once. */
function commentBelow(after: string): number {
  const block = /^(?:[ \t]*#[^\n]*(?:\n|$))+/.exec(after)?.[0].length ?? 0;
  return /^[ \t]*(?:\r?\n|$)/.test(after.slice(block)) ? block : 0;
}

function cut(text: string, spans: readonly Span[]): string {
  let rest = text;
  let limit = text.length;
  for (const span of spans.toSorted((a, b) => b.start - a.start)) {
    const end = Math.min(span.end, limit);
    limit = span.start;
    const before = rest.slice(0, span.start);
    const after = rest.slice(end);
    rest = before + withoutDoubleBlank(before, after);
  }
  return rest;
}

/** Two blank lines that met because of the cut become one. */
function withoutDoubleBlank(before: string, after: string): string {
  const meets = before === '' || /\n[ \t]*\r?\n$/.test(before);
  return meets ? after.replace(/^[ \t]*\r?\n/, '') : after;
}
