import { shown } from './case-file.ts';
import type { CaseFile } from './case-file.ts';
import type { Candidate, Reference } from './diagnosis.ts';
import { escape } from './env-names.ts';
import { lineAt } from './repository.ts';
import type { Place } from './repository.ts';

const NEAR = 3;
const MOST = 2;
const SHORTEST = 4;

/**
 * Lines that a recent change added and that the cause is about.
 *
 * They stand where the cause points, or they name the very thing that it accuses.
 */
export function changedEvidence(file: CaseFile, { evidence, subject }: Candidate): Reference[] {
  const thing =
    subject
      .slice(subject.indexOf(':') + 1)
      .split('/')
      .at(-1) ?? '';
  const named = thing.length < SHORTEST ? null : new RegExp(`(?<!\\w)${escape(thing)}(?!\\w)`);
  const points = (place: Place): boolean =>
    evidence.some(
      (one) => one.file === place.file && Math.abs((one.line ?? 0) - place.line) <= NEAR,
    );
  const added = file.evidence.changes.flatMap((change) =>
    change.added.map(({ line, text }) => ({ file: change.file, line, text })),
  );
  return added
    .filter((one) => lineAt(file.repo, one)?.trim() === one.text.trim() && one.text.trim() !== '')
    .filter((one) => points(one) || named?.test(one.text) === true)
    .slice(0, MOST)
    .flatMap((one) => shown(file, one));
}
