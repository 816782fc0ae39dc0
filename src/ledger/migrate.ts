import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { LedgerEngine } from './engine.ts';
import { LedgerUnreachable } from './ledger-unreachable.ts';
import { columnsOf } from './migrations/column.ts';
import { up as work } from './migrations/0001-work.ts';
import { up as identity } from './migrations/0002-identity.ts';
import { up as progress } from './migrations/0003-progress.ts';
import { up as ship } from './migrations/0004-ship.ts';
import { up as review } from './migrations/0005-review.ts';
import { up as outbox } from './migrations/0006-outbox.ts';
import { up as pace } from './migrations/0007-pace.ts';
import { up as remote } from './migrations/0008-remote.ts';
import { textAsBytes } from './migrations/text-as-bytes.ts';
import type { Tables } from './tables.ts';

/** Forward only; a migration that was released is never edited. */
const MIGRATIONS = {
  '0001-work': work,
  '0002-identity': identity,
  '0003-progress': progress,
  '0004-ship': ship,
  '0005-review': review,
  '0006-outbox': outbox,
  '0007-pace': pace,
  '0008-remote': remote,
};

export const LATEST_MIGRATION = Object.keys(MIGRATIONS).toSorted().at(-1) ?? '';

/** Brings the ledger's tables up to date; cheap when they are. */
export async function migrate(db: Kysely<Tables>, engine: LedgerEngine): Promise<void> {
  const applied = await appliedMigrations(db);
  const unknown = applied.filter((name) => !(name in MIGRATIONS));
  if (unknown.length > 0)
    throw new LedgerTooNew(
      `The ledger was written by a newer Convoy (${unknown.join(', ')}, this one knows ${LATEST_MIGRATION}).`,
    );
  if (isUpToDate(applied)) return;
  if (engine === 'postgres') await oneAtATime(db, () => migrateToLatest(db, engine));
  else await migrateToLatest(db, engine);
}

async function migrateToLatest(db: Kysely<Tables>, engine: LedgerEngine): Promise<void> {
  const column = columnsOf(engine);
  const migrations = Object.fromEntries(
    Object.entries(MIGRATIONS).map(([name, up]) => [
      name,
      {
        up: (kysely: Kysely<unknown>) =>
          up(engine === 'postgres' ? kysely.withPlugin(textAsBytes) : kysely, column),
      },
    ]),
  );
  const migrator = new Migrator({
    db,
    ...(engine === 'postgres' ? { migrationTableSchema: await currentSchema(db) } : {}),
    provider: { getMigrations: async () => migrations },
    allowUnorderedMigrations: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  // The migrator looks before it locks, so another process may have done the work meanwhile.
  if (isUpToDate(await appliedMigrations(db))) return;
  throw error instanceof Error ? error : new Error('Migration failed');
}

/** Without it the migrator takes the tables of another workspace's schema for ours. */
async function currentSchema(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return rows[0]?.name ?? 'public';
}

const MIGRATE_LOCK = 0x636f6e77;

/**
 * The migrator makes its own tables before it locks, and two processes that do so at once fail on
 * Postgres. The lock belongs to the connection, so it ends with us whatever happens.
 */
async function oneAtATime(db: Kysely<Tables>, migration: () => Promise<void>): Promise<void> {
  const lock = sql.lit(MIGRATE_LOCK);
  await db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${lock})`.execute(connection);
    try {
      await migration();
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(connection);
    }
  });
}

export class LedgerTooNew extends Error {}

const isUpToDate = (applied: readonly string[]): boolean =>
  Object.keys(MIGRATIONS).every((name) => applied.includes(name));

async function appliedMigrations(db: Kysely<Tables>): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (error instanceof LedgerUnreachable) throw error;
    // A new ledger has no such table yet; any other trouble shows itself in the migration.
    return [];
  }
}
