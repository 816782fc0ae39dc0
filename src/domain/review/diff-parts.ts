import type { DiffFile } from './diff-files.ts';

const LOCKFILE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Gemfile\.lock|composer\.lock|go\.sum|mix\.lock)$/;

/**
 * Cuts a diff into parts that a reader can take in at once.
 *
 * Nothing is left out, for nobody can approve what was not shown; only lockfiles, which nobody
 * reads, are told by their size. Files stay whole where they fit.
 */
export function diffParts(files: readonly DiffFile[], most: number): string[] {
  const parts: string[] = [];
  let part = '';
  for (const piece of files.flatMap((file) => pieces(file, most))) {
    if (part !== '' && part.length + piece.length + 1 > most) {
      parts.push(part);
      part = '';
    }
    part = part === '' ? piece : `${part}\n${piece}`;
  }
  return part === '' ? parts : [...parts, part];
}

function pieces(file: DiffFile, most: number): string[] {
  if (LOCKFILE.test(file.path))
    return [`lockfile ${file.path}: ${file.added.length} lines added, ${file.removed} removed`];
  if (file.text.length <= most) return [file.text];
  const title = `diff --git a/${file.path} b/${file.path} (continued)\n`.slice(0, most / 2);
  const room = most - title.length;
  return linesWithin(file.text, room).map((text, index) => (index === 0 ? text : title + text));
}

/** Pieces of whole lines; a line that is too long by itself is broken. */
function linesWithin(text: string, most: number): string[] {
  const found: string[] = [];
  let piece = '';
  for (const line of text.split('\n').flatMap((one) => broken(one, most))) {
    if (piece !== '' && piece.length + line.length + 1 > most) {
      found.push(piece);
      piece = '';
    }
    piece = piece === '' ? line : `${piece}\n${line}`;
  }
  return [...found, piece];
}

function broken(line: string, most: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < line.length; at += most) found.push(line.slice(at, at + most));
  return found.length === 0 ? [''] : found;
}
