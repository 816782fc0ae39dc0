import type { CaseFile, Hit } from '../case-file.ts';
import { escape } from '../env-names.ts';
import type { Place } from '../repository.ts';
import { caught, fromWordings, plainRow } from './wording.ts';
import type { PlainRow } from './wording.ts';

const FOLDER = /migrat|versions|changelog|drizzle/i;

/** The migration of that version or name, at its first line. */
function numbered(hit: Hit, file: CaseFile): Place | null {
  const versions = caught(hit)
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  for (const version of versions) {
    const start = new RegExp(`^[VvUR]?0*${escape(version)}(?:__|[_.-]|$)`);
    const path = file.repo.paths.find((one) => {
      const base = one.split('/').at(-1) ?? one;
      const folder = one.split('/').at(-2) ?? '';
      const named = start.test(base) || start.test(folder) || base.startsWith(version);
      return FOLDER.test(one) && named;
    });
    if (path !== undefined) return { file: path, line: 1 };
  }
  return null;
}

const ROWS: readonly PlainRow[] = [
  {
    rule: 'migration-changed',
    pattern:
      /Migration checksum mismatch for migration version (\S+)|(?:The migration|migration) `?([\w.-]+)`? was (?:modified|previously applied but has been modified)|migration (\d+) was previously applied but has been modified|VersionMismatch\((\d+)\)|changesets? (?:check ?sums?|had a checksum) .*|(?<!\S)([^\s:]+)::[^\s:]+::[^\s:]+ was: \S+ but is now/,
    score: 97,
    classification: 'code',
    says: 'The migration {} was changed after it had been applied: its checksum does not match the database’s history.',
    fix: 'Take the change back and write a new migration instead.',
    place: numbered,
  },
  {
    rule: 'migration-missing',
    pattern:
      /Detected applied migration not resolved locally: (\S+)|migration ([\w.-]+) was previously applied but is missing|VersionMissing\((\d+)\)|The migration directory is corrupt, the following files are missing: (\S+)|no migration found for version (\d+)|Can't locate revision identified by '(\w+)'|NodeNotFoundError: .*?\('[\w.]+', '([\w.]+)'\)|Your database schema is not in sync with your migration history/,
    score: 96,
    classification: 'code',
    says: 'The database knows the migration {}, which is not in this release.',
    fix: 'Restore the migration file, or repair the history deliberately.',
    place: numbered,
  },
  {
    rule: 'migration-dirty',
    pattern:
      /Dirty database version (\d+)|Detected failed migration to version (\S+)|migrate found failed migrations.*|The `([\w.-]+)` migration started at .* failed|Migration table is already locked|Waiting for changelog lock|Could not acquire (?:change log|migration) lock/,
    score: 95,
    classification: 'infra',
    says: 'An earlier migration run ended half-way and left the database marked or locked ({}): {line}.',
    otherwise: 'no version named',
    fix: 'Look at what the earlier run left, repair it, and release the mark or lock (force, resolve, repair).',
    place: numbered,
  },
  {
    rule: 'migration-branches',
    pattern:
      /Multiple head revisions are present|Conflicting migrations detected; multiple leaf nodes in the migration graph: \((.+?)\)|InconsistentMigrationHistory: Migration (\S+) is applied before|DuplicateMigration\w*Error:?.*?(\w+)$|found \d+ missing migrations|duplicate migration (?:version|file):? ?(\S*)/,
    score: 97,
    classification: 'code',
    says: 'Two migrations claim the same place in the order (branches that were both merged) {}: {line}.',
    fix: 'Merge the heads or renumber one of them, so that the order is one line.',
    place: numbered,
  },
];

/** The history of the migrations, in the repository and in the database, does not fit together. */
export const migrationHistory = fromWordings(ROWS.map(plainRow));
