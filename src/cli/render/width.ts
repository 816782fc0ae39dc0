import stringWidth from 'string-width';

export const widthOf = (text: string): number => stringWidth(text);

/** Cuts clean text to a width at a boundary between visible characters, ending in `…`. */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
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
  for (const { segment } of graphemes.segment(word)) {
    if (piece !== '' && widthOf(piece + segment) > width) {
      found.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...found, piece];
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
