import { createRequire } from 'node:module';

/** Printable ASCII, and the few signs our own pages are made of; each takes one column. */
const PLAIN = /^[ -~\u00B7\u2013\u2014\u2026\u2190-\u2193\u2500-\u257F\u25A0-\u25CF\u2713\u2717]*$/;

/** How many columns clean text takes. Most text is plain, and the tables for the rest cost 50 ms to load. */
export const widthOf = (text: string): number =>
  PLAIN.test(text) ? text.length : exactWidth()(text);

type Width = (text: string) => number;
let loaded: Width | undefined;

function exactWidth(): Width {
  if (loaded !== undefined) return loaded;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the package's one default export
  const module = createRequire(import.meta.url)('string-width') as { default: Width };
  loaded = module.default;
  return loaded;
}

/** Cuts clean text to a width at a boundary between visible characters, ending in `…`. */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes().segment(text)) {
    const next = widthOf(segment);
    if (used + next > width - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept.trimEnd()}…`;
}

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));

export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - widthOf(text))) + text;

/** Breaks clean text at spaces, and inside a word only when the word alone is too wide. */
export function wrapWide(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const piece of paragraph.split(' ').flatMap((word) => pieces(word, width))) {
      const longer = line === '' ? piece : `${line} ${piece}`;
      if (line !== '' && widthOf(longer) > width) {
        lines.push(line);
        line = piece;
      } else {
        line = longer;
      }
    }
    return [...lines, line];
  });
}

function pieces(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word];
  const found: string[] = [];
  let piece = '';
  for (const { segment } of graphemes().segment(word)) {
    if (piece !== '' && widthOf(piece + segment) > width) {
      found.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...found, piece];
}

let segmenter: Intl.Segmenter | undefined;

const graphemes = (): Intl.Segmenter =>
  (segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' }));
