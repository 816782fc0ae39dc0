import type { DiffFile } from './diff-files.ts';
import type { Finding } from './verdict.ts';

const MARKER = /^(?:<{7}|>{7}|\|{7})(?: |$)/;

/** Conflict markers that a change adds; no opinion is needed to reject them. */
export function conflictResidue(files: readonly DiffFile[]): Finding[] {
  return files.flatMap(({ path, added }) =>
    added
      .filter(({ text }) => MARKER.test(text))
      .map(({ line }) => ({
        file: path,
        line,
        severity: 'error' as const,
        text: 'A conflict marker was left here.',
      })),
  );
}
