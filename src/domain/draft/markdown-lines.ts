/** What a line of Markdown is, as far as a plan cares. */
export type Token =
  | { readonly kind: 'blank'; readonly line: number }
  | {
      readonly kind: 'heading';
      readonly line: number;
      readonly level: number;
      readonly text: string;
    }
  | {
      readonly kind: 'item';
      readonly line: number;
      readonly indent: number;
      readonly text: string;
      readonly marker: string;
      /** A box before the text, and whether it is ticked. */
      readonly box: 'empty' | 'ticked' | null;
    }
  /** Anything else; code is one token of many lines, and nothing in it means anything. */
  | {
      readonly kind: 'text' | 'code';
      readonly line: number;
      readonly indent: number;
      readonly lines: readonly string[];
    };

export type Markdown = {
  readonly tokens: readonly Token[];
  /** `key: value` lines between two `---` at the very top. */
  readonly frontMatter: ReadonlyMap<string, string>;
  /** Lines at which something was opened and never closed. */
  readonly unclosed: readonly { readonly line: number; readonly what: string }[];
};

const LONGEST_FRONT_MATTER = 100;
const TAB = 4;

/** Reads Markdown line by line: headings of both styles, items, code, comments, front matter. */
export function readMarkdown(text: string): Markdown {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const { frontMatter, after } = readFrontMatter(lines);
  const reading: Reading = { lines, tokens: [], unclosed: [], commentSince: null };
  for (let at = after; at < lines.length; at += 1) {
    const fence = reading.commentSince === null ? FENCE.exec(expanded(lines[at]!)) : null;
    if (fence) at = readCode(reading, at, fence);
    else readLine(reading, at);
  }
  if (reading.commentSince !== null) {
    reading.unclosed.push({ line: reading.commentSince, what: 'comment' });
  }
  return { tokens: reading.tokens, frontMatter, unclosed: reading.unclosed };
}

type Reading = {
  readonly lines: readonly string[];
  readonly tokens: Token[];
  readonly unclosed: { line: number; what: string }[];
  commentSince: number | null;
};

function readFrontMatter(lines: readonly string[]) {
  const frontMatter = new Map<string, string>();
  if (lines[0]?.trimEnd() !== '---') return { frontMatter, after: 0 };
  const end = lines
    .slice(1, LONGEST_FRONT_MATTER)
    .findIndex((line) => /^(?:---|\.\.\.)\s*$/.test(line));
  if (end < 0) return { frontMatter, after: 0 };
  for (const line of lines.slice(1, end + 1)) {
    const colon = line.indexOf(':');
    const value = line
      .slice(colon + 1)
      .trim()
      .replaceAll(/^(["'])(.*)\1$/g, '$2');
    if (colon > 0) frontMatter.set(line.slice(0, colon).trim().toLowerCase(), value);
  }
  return { frontMatter, after: end + 2 };
}

const FENCE = /^( *)(`{3,}|~{3,})([^`]*)$/;

function readCode(reading: Reading, start: number, fence: RegExpExecArray): number {
  const { lines, tokens, unclosed } = reading;
  const mark = fence[2]!;
  let end = start + 1;
  while (end < lines.length && !closes(lines[end]!, mark)) end += 1;
  if (end === lines.length) unclosed.push({ line: start + 1, what: 'code block' });
  tokens.push({
    kind: 'code',
    line: start + 1,
    indent: fence[1]!.length,
    lines: lines.slice(start, end + 1).map(expanded),
  });
  return end;
}

function closes(line: string, mark: string): boolean {
  const found = line.trim();
  return found.length >= mark.length && found === mark[0]!.repeat(found.length);
}

function readLine(reading: Reading, at: number): void {
  const line = at + 1;
  const raw = reading.lines[at]!;
  const shown = withoutComments(reading, raw, line);
  const text = expanded(shown).trimEnd();
  if (text === '') {
    // A line that held only a comment is not there at all.
    if (shown === raw) reading.tokens.push({ kind: 'blank', line });
    return;
  }
  if (becomesHeading(reading, text) || isRule(text)) return;
  reading.tokens.push(headingIn(text, line) ?? itemIn(text, line) ?? textToken(text, line));
}

const textToken = (text: string, line: number): Token => ({
  kind: 'text',
  line,
  indent: indentOf(text),
  lines: [text],
});

function withoutComments(reading: Reading, raw: string, line: number): string {
  let shown = '';
  let from = 0;
  while (from <= raw.length) {
    if (reading.commentSince !== null) {
      const end = raw.indexOf('-->', from);
      if (end < 0) return shown;
      reading.commentSince = null;
      from = end + 3;
    }
    const start = raw.indexOf('<!--', from);
    if (start < 0) return shown + raw.slice(from);
    shown += raw.slice(from, start);
    reading.commentSince = line;
    from = start + 4;
  }
  return shown;
}

/** A line of `===` or `---` makes a heading of a paragraph that is one line long. */
function becomesHeading({ tokens }: Reading, text: string): boolean {
  const before = tokens.at(-1);
  const earlier = tokens.at(-2);
  if (before?.kind !== 'text' || before.indent > 3) return false;
  if (earlier && earlier.kind !== 'blank' && earlier.kind !== 'heading') return false;
  if (!/^ {0,3}(?:=+|--+)$/.test(text)) return false;
  const level = text.includes('=') ? 1 : 2;
  tokens.pop();
  tokens.push({ kind: 'heading', line: before.line, level, text: before.lines[0]!.trim() });
  return true;
}

function isRule(text: string): boolean {
  const marks = text.replaceAll(' ', '');
  return marks.length >= 3 && '-*_'.includes(marks[0]!) && marks === marks[0]!.repeat(marks.length);
}

function headingIn(text: string, line: number): Token | null {
  const match = /^ {0,3}(#{1,6}) +(\S.*)$/.exec(text);
  if (!match) return null;
  const title = match[2]!.replace(/ #+$/, '').trim();
  return { kind: 'heading', line, level: match[1]!.length, text: title };
}

function itemIn(text: string, line: number): Token | null {
  const match = /^( *)([-*+]|\d{1,9}[.)]) +(\S.*)$/.exec(text);
  if (!match) return null;
  const box = /^\[([ xX])\] +(\S.*)$/.exec(match[3]!);
  return {
    kind: 'item',
    line,
    indent: match[1]!.length,
    marker: match[2]!,
    text: box ? box[2]! : match[3]!,
    box: box ? (box[1] === ' ' ? 'empty' : 'ticked') : null,
  };
}

/** With tabs before the text turned into spaces. */
function expanded(line: string): string {
  let column = 0;
  let at = 0;
  for (; line[at] === ' ' || line[at] === '\t'; at += 1) {
    column = line[at] === ' ' ? column + 1 : column - (column % TAB) + TAB;
  }
  const rest = line.slice(at);
  // After a marker a tab is as good as a space.
  return ' '.repeat(column) + rest.replace(/^(\S{1,10})\t/, '$1 ');
}

const indentOf = (text: string): number => text.length - text.trimStart().length;
