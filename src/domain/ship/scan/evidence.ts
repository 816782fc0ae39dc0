import type { Evidence } from './lane.ts';

const LONGEST_EXCERPT = 160;

/** What evidence is cut from: a file's path and text. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** Evidence from the first line of a source that holds the needle. */
export function cite(
  field: string,
  value: string | number,
  source: Source,
  needle: string | RegExp,
  rule: string,
): Evidence {
  const position =
    typeof needle === 'string' ? source.text.indexOf(needle) : source.text.search(needle);
  return citeAt(field, value, source, Math.max(position, 0), rule);
}

/** Evidence from the line at a position of a source. */
export function citeAt(
  field: string,
  value: string | number,
  source: Source,
  position: number,
  rule: string,
): Evidence {
  const start = source.text.lastIndexOf('\n', position - 1) + 1;
  const end = source.text.indexOf('\n', position);
  const excerpt = source.text.slice(start, end < 0 ? undefined : end).trim();
  return {
    field,
    value: String(value),
    file: source.file,
    line: lineNumber(source.text, position),
    rule,
    excerpt: excerpt.slice(0, LONGEST_EXCERPT),
  };
}

/** Evidence that a file exists at all. */
export function citeFile(
  field: string,
  value: string | number,
  file: string,
  rule: string,
): Evidence {
  return { field, value: String(value), file, line: 1, rule, excerpt: '' };
}

function lineNumber(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1))
    line += 1;
  return line;
}
