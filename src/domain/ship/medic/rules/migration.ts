import { hits, said, shown } from '../case-file.ts';
import type { CaseFile, Rule } from '../case-file.ts';
import { escape } from '../env-names.ts';
import { finding } from '../finding.ts';
import { lineAt } from '../repository.ts';
import type { Place } from '../repository.ts';

const MIGRATION_WORDS =
  /migrat\w*\b.{0,60}\b(?:failed|error|aborted|could not)|(?:failed|error|could not|unable)\b.{0,40}\bmigrat|StandardError: An error has occurred, (?:this and )?all later migrations canceled|P3009|P3018|P3006|FlywayException|LiquibaseException|Migration .* failed|django\.db\.migrations\.exceptions|alembic\.util\.exc|Can't locate revision|Applying \S+\.\.\. ?(?:Traceback|FAIL)|(?:migrations\/executor|alembic\/runtime\/migration)\.py/i;

const SQL_REASON =
  /(?:already exists|does not exist|syntax error|violates|duplicate|cannot be|no such|Unknown column|near "|Can't locate revision|null values?\b|doesn't exist|incompatible types)/i;

/** A migration that was tried and broke. */
export const migration: Rule = (file) => {
  const at = whereItBroke(file);
  if (at === null) return [];
  const failing = migrationFile(file, at);
  const reason = reasonNear(file, at);
  return [
    finding(file, {
      rule: 'migration-failed',
      tier: 'cause',
      score: isStep(file) ? 97 : 94,
      // A statement that failed inside the migration is part of it, so the migration counts from there.
      at: Math.min(at, reason ?? at),
      subject: `migration:${failing?.file ?? '?'}`,
      rootCause: `The database migration${failing ? ` ${failing.file}` : ''} failed${reason === null ? '' : `: ${words(file, reason)}`}.`,
      classification: 'code',
      fix: `Correct the migration${failing ? ` ${failing.file}` : ''} so that it applies to the database as it is, and try it on a copy first.`,
      evidence: [
        ...said(file, at),
        ...(reason === null ? [] : said(file, reason)),
        ...shown(file, failing),
      ],
    }),
  ];
};

function whereItBroke(file: CaseFile): number | null {
  const spoken = hits(file, MIGRATION_WORDS).find(
    ({ text }) =>
      !/\b0 failed|no migrations?|up to date|migrations? (?:complete|done|applied)/i.test(text),
  );
  if (spoken !== undefined) return spoken.at;
  const inside = file.traces.find(
    (trace) =>
      SQL_REASON.test(trace.message) &&
      (isStep(file) || trace.places.some((place) => /migrat/i.test(place.file))),
  );
  return inside?.at ?? brokenStep(file);
}

/** The command migrates, a migration was announced, and then the database complained. */
function brokenStep(file: CaseFile): number | null {
  if (!isStep(file) || file.evidence.exit === null) return null;
  const begun = hits(
    file,
    /\bmigrating\b|[Aa]pplying|Running (?:upgrade|migration)|\d{8,}[\w-]*/,
  )[0];
  const complaint = hits(file, SQL_REASON).find(
    ({ at, text }) =>
      begun !== undefined && at > begun.at && /error|fail|sqlstate|fatal|pg::|ora-/i.test(text),
  );
  return complaint?.at ?? null;
}

const isStep = (file: CaseFile): boolean =>
  /migrat|db:|prisma|alembic|flyway|knex|sequelize/i.test(file.evidence.command) &&
  file.evidence.exit?.code !== 0;

function reasonNear(file: CaseFile, at: number): number | null {
  for (let step = 0; step <= 12; step++)
    for (const index of [at + step, at - step])
      if (SQL_REASON.test(file.lines[index]?.text ?? '')) return index;
  return null;
}

const words = (file: CaseFile, at: number): string =>
  (file.lines[at]?.quote ?? '')
    .replace(/^(?:\w+:\s*)?(?:ERROR|error|Error):\s*/, '')
    .replace(/[.\s]+$/, '')
    .slice(0, 160);

const FOLDER =
  /(?:^|\/)(?:[\w-]*migrat\w*|drizzle|versions|changelogs?|db\/changes|schema-changes)\/|(?:^|\/)V[\d_.]+__\w+\.sql$/i;

/** The migration that was named last before it broke, or else the first one named after. */
function migrationFile(file: CaseFile, at: number): Place | null {
  const migrations = file.repo.paths.filter((path) => FOLDER.test(path));
  const mentions = migrations.flatMap((path) =>
    file.lines.flatMap(({ text }, index) =>
      Math.abs(index - at) <= 30 && names(text, path) ? [{ path, index }] : [],
    ),
  );
  const before = mentions.filter(({ index }) => index <= at).toSorted((a, b) => b.index - a.index);
  const after = mentions.filter(({ index }) => index > at).toSorted((a, b) => a.index - b.index);
  const found = (before[0] ?? after[0])?.path;
  return found === undefined
    ? byStatement(file, at, migrations)
    : { file: found, line: lineIn(file, found) };
}

/** Some tools name no file; then the newest migration that speaks of the same table or column is meant. */
function byStatement(file: CaseFile, at: number, migrations: readonly string[]): Place | null {
  const reason = file.lines[reasonNear(file, at) ?? at]?.text ?? '';
  const things = [...reason.matchAll(/["'`]([\w.]+)["'`]/g)].map((match) => match[1] ?? '');
  for (const path of migrations.toSorted().toReversed())
    for (const word of things) {
      const index = (file.repo.lines(path) ?? []).findIndex((line) =>
        new RegExp(`\\b${escape(word)}\\b`).test(line),
      );
      if (index >= 0) return { file: path, line: index + 1 };
    }
  return null;
}

/** Tools name a migration by its file, by its file without the ending, by its folder or by its number. */
function names(text: string, path: string): boolean {
  const parts = path.split('/');
  const stem = (parts.at(-1) ?? path).replace(/\.\w+$/, '');
  const folder = parts.at(-2) ?? '';
  const number = /^\d{8,}/.exec(stem)?.[0];
  if (stem !== 'migration' && stem.length >= 4 && text.includes(stem)) return true;
  return (
    (/\d{3,}/.test(folder) && text.includes(folder)) ||
    (number !== undefined && text.includes(number))
  );
}

function lineIn(file: CaseFile, path: string): number {
  const base = escape(path.split('/').at(-1) ?? path);
  const printed = hits(file, new RegExp(`${base}["']?(?::|, line )(\\d+)`))[0]?.match[1];
  const line = Number(printed ?? 1);
  return lineAt(file.repo, { file: path, line }) === null ? 1 : line;
}
