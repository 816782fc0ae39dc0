import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { LedgerEngine } from './engine.ts';
import { columnsOf } from './migrations/column.ts';
import * as work from './migrations/0001-work.ts';
import * as progress from './migrations/0003-progress.ts';
import * as outbox from './migrations/0006-outbox.ts';
import type { Tables } from './tables.ts';

/** Forward only; a migration that was released is never edited. */
const MIGRATIONS = { '0001-work': work, '0003-progress': progress, '0006-outbox': outbox };

export const LATEST_MIGRATION = Object.keys(MIGRATIONS).toSorted().at(-1) ?? '';

/** Brings the ledger's tables up to date; cheap when they are. */
export async function migrate(db: Kysely<Tables>, engine: LedgerEngine): Promise<void> {
  const current = await currentMigration(db);
  if (current === LATEST_MIGRATION) return;
  if (current > LATEST_MIGRATION)
    throw new LedgerTooNew(
      `The ledger was written by a newer Convoy (${current}, this one knows ${LATEST_MIGRATION}).`,
    );
  const column = columnsOf(engine);
  const migrations = Object.fromEntries(
    Object.entries(MIGRATIONS).map(([name, { up }]) => [
      name,
      { up: (kysely: Kysely<unknown>) => up(kysely, column) },
    ]),
  );
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  // The migrator looks before it locks, so another process may have done the work meanwhile.
  if ((await currentMigration(db)) === LATEST_MIGRATION) return;
  throw error instanceof Error ? error : new Error('Migration failed');
}

export class LedgerTooNew extends Error {}

async function currentMigration(db: Kysely<Tables>): Promise<string> {
  try {
    const { rows } = await sql<{
      name: string;
    }>`select max(name) as name from kysely_migration`.execute(db);
    return rows[0]?.name ?? '';
  } catch {
    // A new ledger has no such table yet; any other trouble shows itself in the migration.
    return '';
  }
}
