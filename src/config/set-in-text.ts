import { block, inline, isListOfTables, keyOf, listBlock } from './render-toml.ts';
import { insertLines, lineEnd, pairsOf, roomAfter, sectionEnd } from './lines.ts';
import { removed } from './remove-from-text.ts';
import { isUnder, samePath, scan, type Layout, type Path, type Spot } from './scan.ts';
import { isTable } from './tree.ts';

/** The text with a value at a path: replaced where it stands, else put where a person would. */
export function placed(layout: Layout, path: Path, value: unknown): string | null {
  const spot = layout.spots.find((one) => samePath(one.path, path));
  if (spot !== undefined) return replaced(layout.text, spot, value);
  const isSpread = [...layout.sections, ...layout.spots].some(
    (one) => one.path.length > path.length && isUnder(one.path, path),
  );
  const isWritten = layout.sections.some((one) => one.kind !== 'top' && samePath(one.path, path));
  if (!isSpread && !isWritten) return added(layout, path, value);
  // The value is a table, or a list of tables, under headers: it goes as a whole.
  const cleared = removed(layout, path);
  return cleared === null ? null : added(scan(cleared), path, value);
}

function replaced(text: string, spot: Spot, value: unknown): string | null {
  const written = inline(value);
  if (written === null) return null;
  return text.slice(0, spot.valueStart) + written + text.slice(spot.end);
}

function added(layout: Layout, path: Path, value: unknown): string | null {
  const holder = inlineHolder(layout, path);
  if (holder !== null) return addedInline(layout, holder, path, value);
  const elementOf = endOfList(layout, path);
  if (elementOf !== null && isTable(value)) return addedElement(layout, elementOf, path, value);
  return blockFor(layout, path, value) ?? addedPair(layout, path, value);
}

/** The inline table or list around a path that has no place yet. */
function inlineHolder(layout: Layout, path: Path): Spot | null {
  const around = layout.spots.filter(
    (spot) => spot.path.length < path.length && isUnder(path, spot.path),
  );
  return around.toSorted((a, b) => b.path.length - a.path.length)[0] ?? null;
}

function addedInline(layout: Layout, holder: Spot, path: Path, value: unknown): string | null {
  const { text, spots } = layout;
  const written = inline(value);
  const isList = text[holder.valueStart] === '[';
  if (written === null || (!isList && text[holder.valueStart] !== '{')) return null;
  const rest = path.slice(holder.path.length);
  const item = isList ? written : `${keyOf(rest)} = ${written}`;
  const last = spots
    .filter((spot) => spot.start > holder.valueStart && spot.end < holder.end)
    .filter((spot) => spot.within === (isList ? 'list' : 'table'))
    .findLast((spot) => !spots.some((other) => other !== holder && encloses(other, spot, holder)));
  if (last === undefined) {
    const whole = isList ? `[${item}]` : `{ ${item} }`;
    return text.slice(0, holder.valueStart) + whole + text.slice(holder.end);
  }
  return `${text.slice(0, last.end)}, ${item}${text.slice(last.end)}`;
}

/** True when a value inside the holder has the spot inside itself. */
const encloses = (other: Spot, spot: Spot, holder: Spot): boolean =>
  other.valueStart > holder.valueStart && other.valueStart < spot.start && other.end > spot.end;

/** The last section of a list of tables to which this path adds one element. */
function endOfList(layout: Layout, path: Path): number | null {
  const list = path.slice(0, -1);
  const count = layout.sections.filter(
    (one) => one.kind === 'element' && samePath(one.path.slice(0, -1), list),
  ).length;
  if (count === 0 || path.at(-1) !== String(count)) return null;
  return layout.sections.findLastIndex((one) => isUnder(one.path, list));
}

function addedElement(
  layout: Layout,
  section: number,
  path: Path,
  value: Readonly<Record<string, unknown>>,
): string | null {
  const lines = listBlock(withoutNumbers(layout, path.slice(0, -1)), [value]);
  if (lines === null) return null;
  return insertLines(layout.text, roomAfter(layout, section), ['', ...lines]);
}

/** Tables and lists of tables get headers of their own, unless something above rules that out. */
function blockFor(layout: Layout, path: Path, value: unknown): string | null {
  if (touchesElement(layout, path)) return null;
  if (isTable(value)) return atEnd(layout.text, block(path, value));
  if (isListOfTables(value)) {
    const family = layout.sections.findLastIndex((one) => isUnder(one.path, path.slice(0, -1)));
    const lines = listBlock(path, value);
    if (lines === null || family <= 0) return atEnd(layout.text, lines);
    return insertLines(layout.text, roomAfter(layout, family), ['', ...lines]);
  }
  return null;
}

function addedPair(layout: Layout, path: Path, value: unknown): string | null {
  const written = inline(value);
  if (written === null) return null;
  const near = dottedNeighbour(layout, path);
  const home = near?.section ?? homeOf(layout, path);
  if (home === null) {
    const table = path.slice(0, -1);
    return atEnd(layout.text, [`[${keyOf(table)}]`, `${keyOf(path.slice(-1))} = ${written}`]);
  }
  const key = keyOf(path.slice(layout.sections[home]?.path.length ?? 0));
  const line = `${indentOf(layout, home)}${key} = ${written}`;
  const offset = near === null ? endOfKeys(layout, home) : lineEnd(layout.text, near.end);
  return insertLines(layout.text, offset, [line]);
}

/** A key that already spells the parent table with dots; a header for it would be a second one. */
function dottedNeighbour(layout: Layout, path: Path): Spot | null {
  const parent = path.slice(0, -1);
  const near = layout.spots.findLast(
    (spot) =>
      spot.within === 'section' &&
      isUnder(spot.path, parent) &&
      (layout.sections[spot.section]?.path.length ?? 0) < parent.length,
  );
  return near ?? null;
}

/** The section to which a new key goes; null when its table has no header yet. */
function homeOf(layout: Layout, path: Path): number | null {
  const parent = path.slice(0, -1);
  const exact = layout.sections.findIndex((one) => samePath(one.path, parent));
  if (exact !== -1) return exact;
  if (!touchesElement(layout, path)) return null;
  return layout.sections.findLastIndex(
    (one) => one.kind === 'element' && isUnder(parent, one.path),
  );
}

/** True inside an element of a list of tables: a header at the end of the file would miss it. */
const touchesElement = (layout: Layout, path: Path): boolean =>
  layout.sections.some((one) => one.kind === 'element' && isUnder(path, one.path));

/** Keys of the top go after the comment that opens the file, and always before the first header. */
function endOfKeys(layout: Layout, home: number): number {
  if (home > 0 || pairsOf(layout, 0).length > 0) return sectionEnd(layout, home);
  const opening = /^(?:[ \t]*#[^\n]*\n)+[ \t]*\r?\n/.exec(layout.text)?.[0].length ?? 0;
  const firstHeader = layout.sections[1]?.start ?? layout.text.length;
  return Math.min(opening, firstHeader);
}

function indentOf(layout: Layout, home: number): string {
  const last = pairsOf(layout, home).at(-1);
  if (last === undefined) return '';
  return /[ \t]*$/.exec(layout.text.slice(0, last.start))?.[0] ?? '';
}

function withoutNumbers(layout: Layout, path: Path): Path {
  return path.filter(
    (_, index) =>
      !layout.sections.some(
        (one) => one.kind === 'element' && samePath(one.path, path.slice(0, index + 1)),
      ),
  );
}

function atEnd(text: string, lines: readonly string[] | null): string | null {
  if (lines === null) return null;
  const isBlank = text === '' || /\n[ \t]*\r?\n$/.test(text);
  return insertLines(text, text.length, isBlank ? lines : ['', ...lines]);
}
