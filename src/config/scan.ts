import { parse } from 'smol-toml';

export type Path = readonly string[];

/** A `[table]`, one element of a `[[list]]`, or the top of the file. */
export type Section = {
  readonly kind: 'top' | 'table' | 'element';
  /** Elements of lists are numbered: `repos.main.gates.0`. */
  readonly path: Path;
  /** Offsets of the header, brackets included. */
  readonly start: number;
  readonly end: number;
};

/** One value in the text: of a key, or an element of an inline list. */
export type Spot = {
  readonly path: Path;
  readonly section: number;
  /** Where the value stands: under a header, in an inline table, or in an inline list. */
  readonly within: 'section' | 'table' | 'list';
  /** Offset of the key, or of the value where there is no key. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
};

export type Layout = {
  readonly text: string;
  readonly sections: readonly Section[];
  readonly spots: readonly Spot[];
};

/** Finds where every key and value stands in a text that is known to be valid TOML. */
export function scan(text: string): Layout {
  const reader: Reader = {
    text,
    at: 0,
    sections: [{ kind: 'top', path: [], start: 0, end: 0 }],
    spots: [],
    counts: new Map(),
  };
  for (skipTrivia(reader); reader.at < text.length; skipTrivia(reader)) {
    if (text[reader.at] === '[') readHeader(reader);
    else readPair(reader, reader.sections.at(-1)?.path ?? [], 'section');
  }
  return { text, sections: reader.sections, spots: reader.spots };
}

/** The line, from 1, of a key or of the nearest table around it that is written down. */
export function lineOf(layout: Layout, path: Path): number | null {
  for (let length = path.length; length > 0; length -= 1) {
    const wanted = path.slice(0, length);
    const start =
      layout.spots.find((spot) => samePath(spot.path, wanted))?.start ??
      layout.sections.find((one) => one.kind !== 'top' && samePath(one.path, wanted))?.start ??
      (length === path.length ? firstUnder(layout, wanted) : undefined);
    if (start !== undefined) return lineAt(layout.text, start);
  }
  return null;
}

export const samePath = (one: Path, other: Path): boolean =>
  one.length === other.length && isUnder(one, other);
/** True for the path itself as well. */
export const isUnder = (path: Path, ancestor: Path): boolean =>
  ancestor.every((part, index) => path[index] === part);

export const lineAt = (text: string, offset: number): number =>
  text.slice(0, offset).split('\n').length;

const firstUnder = (layout: Layout, path: Path): number | undefined =>
  [...layout.sections, ...layout.spots]
    .filter((one) => one.path.length > path.length && isUnder(one.path, path))
    .map((one) => one.start)
    .toSorted((a, b) => a - b)[0];

type Reader = {
  readonly text: string;
  at: number;
  readonly sections: Section[];
  readonly spots: Spot[];
  /** How many elements each list of tables has so far. */
  readonly counts: Map<string, number>;
};

function readHeader(reader: Reader): void {
  const start = reader.at;
  const isElement = reader.text.startsWith('[[', start);
  reader.at += isElement ? 2 : 1;
  const key = readKey(reader);
  reader.at = reader.text.indexOf(']', reader.at) + (isElement ? 2 : 1);
  const parent = numbered(reader, key.slice(0, -1));
  const path = [...parent, ...key.slice(-1)];
  if (isElement) {
    const list = JSON.stringify(path);
    const index = reader.counts.get(list) ?? 0;
    reader.counts.set(list, index + 1);
    path.push(String(index));
  }
  reader.sections.push({ kind: isElement ? 'element' : 'table', path, start, end: reader.at });
}

/** A header below a list of tables belongs to the list's last element. */
function numbered(reader: Reader, key: Path): string[] {
  const path: string[] = [];
  for (const part of key) {
    path.push(part);
    const count = reader.counts.get(JSON.stringify(path));
    if (count !== undefined) path.push(String(count - 1));
  }
  return path;
}

function readPair(reader: Reader, parent: Path, within: Spot['within']): void {
  const start = reader.at;
  const path = [...parent, ...readKey(reader)];
  reader.at = reader.text.indexOf('=', reader.at) + 1;
  skipTrivia(reader);
  readSpot(reader, { path, within, start });
}

function readSpot(reader: Reader, spot: Pick<Spot, 'path' | 'within' | 'start'>): void {
  const valueStart = reader.at;
  const place = reader.spots.length;
  const unfinished = { ...spot, section: reader.sections.length - 1, valueStart, end: valueStart };
  reader.spots.push(unfinished);
  readValue(reader, spot.path);
  reader.spots[place] = { ...unfinished, end: reader.at };
}

function readValue(reader: Reader, path: Path): void {
  const first = reader.text[reader.at];
  if (first === '"' || first === "'") skipString(reader);
  else if (first === '[') readList(reader, path);
  else if (first === '{') readTable(reader, path);
  else skipBare(reader);
}

function readList(reader: Reader, path: Path): void {
  reader.at += 1;
  for (let index = 0; ; index += 1) {
    skipSeparators(reader);
    if (reader.text[reader.at] === ']') break;
    readSpot(reader, { path: [...path, String(index)], within: 'list', start: reader.at });
  }
  reader.at += 1;
}

function readTable(reader: Reader, path: Path): void {
  reader.at += 1;
  for (;;) {
    skipSeparators(reader);
    if (reader.text[reader.at] === '}') break;
    readPair(reader, path, 'table');
  }
  reader.at += 1;
}

function readKey(reader: Reader): string[] {
  const parts: string[] = [];
  for (;;) {
    skipSpaces(reader);
    parts.push(readKeyPart(reader));
    skipSpaces(reader);
    if (reader.text[reader.at] !== '.') return parts;
    reader.at += 1;
  }
}

function readKeyPart(reader: Reader): string {
  const start = reader.at;
  if (reader.text[start] === '"' || reader.text[start] === "'") {
    skipString(reader);
    return Object.keys(parse(`${reader.text.slice(start, reader.at)} = 0`))[0] ?? '';
  }
  skipWhile(reader, /[A-Za-z0-9_-]+/y);
  if (reader.at === start) throw new Error(`No key at offset ${start} of a valid document`);
  return reader.text.slice(start, reader.at);
}

function skipString(reader: Reader): void {
  const quote = reader.text[reader.at] ?? '';
  const isLong = reader.text.startsWith(quote.repeat(3), reader.at);
  const close = isLong ? quote.repeat(3) : quote;
  reader.at += close.length;
  while (!reader.text.startsWith(close, reader.at)) {
    if (reader.at >= reader.text.length) throw new Error('A valid document ends inside a string');
    reader.at += quote === '"' && reader.text[reader.at] === '\\' ? 2 : 1;
  }
  reader.at += close.length;
  // A long string may end with up to two quotes of its own before the closing three.
  if (isLong) skipWhile(reader, quote === '"' ? /"{1,2}/y : /'{1,2}/y);
}

function skipBare(reader: Reader): void {
  const start = reader.at;
  skipWhile(reader, /[^,\]}#\r\n]+/y);
  reader.at = start + reader.text.slice(start, reader.at).trimEnd().length;
}

const skipSpaces = (reader: Reader): void => skipWhile(reader, /[ \t]+/y);
/** Blanks, line ends, comments, and the mark some editors put first in a file. */
const skipTrivia = (reader: Reader): void => skipWhile(reader, /(?:[ \t\r\n\uFEFF]|#[^\n]*)+/y);
const skipSeparators = (reader: Reader): void => skipWhile(reader, /(?:[ \t\r\n,]|#[^\n]*)+/y);

function skipWhile(reader: Reader, shape: RegExp): void {
  shape.lastIndex = reader.at;
  reader.at += shape.exec(reader.text)?.[0].length ?? 0;
}
