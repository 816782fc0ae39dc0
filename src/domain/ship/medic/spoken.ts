import type { CaseFile } from './case-file.ts';
import { isSource } from './repository.ts';
import type { Place } from './repository.ts';

const SHORTEST = 10;
const MOST_LINES = 60_000;
const LITERAL = /(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g;
const NOISE =
  /^\s*(?:Node\.js v|\^+\s*$|\(Use `node|npm (?:error|ERR!|warn|notice)|at |>|[{}\])]|exit status|$)/;

/** The last lines in which the program itself says something, newest first. */
export function finalWords(file: CaseFile, most: number): number[] {
  const found: number[] = [];
  for (let at = file.lines.length - 1; at >= 0 && found.length < most; at--)
    if (!NOISE.test(file.lines[at]?.text ?? '')) found.push(at);
  return found;
}

/** The source line whose text literal was printed; the longest literal found in the line wins. */
export function whereSpoken(file: CaseFile, text: string): Place | null {
  let best: { place: Place; size: number } | null = null;
  let seen = 0;
  for (const path of file.repo.paths.filter(isSource))
    for (const [index, line] of (file.repo.lines(path) ?? []).entries()) {
      if (++seen > MOST_LINES) return best?.place ?? null;
      const size = longestLiteral(line, text);
      if (size > (best?.size ?? SHORTEST - 1))
        best = { place: { file: path, line: index + 1 }, size };
    }
  return best?.place ?? null;
}

/** A source line that ends the process with just this code. */
export function whereEnded(file: CaseFile, code: number): Place | null {
  const call = new RegExp(`(?:\\bexit|Exit|exitCode)\\s*(?:\\(|=)\\s*${code}\\b`);
  for (const path of file.repo.paths.filter(isSource)) {
    const index = (file.repo.lines(path) ?? []).findIndex((line) => call.test(line));
    if (index >= 0) return { file: path, line: index + 1 };
  }
  return null;
}

function longestLiteral(line: string, text: string): number {
  if (line.length > 500) return 0;
  const pieces = [...line.matchAll(LITERAL)].flatMap(([, , literal]) =>
    (literal ?? '').split(/\$\{[^}]*\}|%[sdvq]|\{\w*\}/),
  );
  const printed = pieces.filter((piece) => piece.trim().length >= SHORTEST && text.includes(piece));
  return printed.reduce((most, piece) => Math.max(most, piece.length), 0);
}
