import type { Kysely } from 'kysely';
import type { Column } from './column.ts';

/** Tokens, known by their hash only, and approvals, pinned to the hash of what was shown. */
export async function up(db: Kysely<unknown>, column: Column): Promise<void> {
  await db.schema
    .createTable('token')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('version', column.integer, (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('use', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('subject', 'text')
    .addColumn('parent', 'text')
    .addColumn('created_at', column.integer, (c) => c.notNull())
    .addColumn('expires_at', column.integer)
    .addColumn('revoked_at', column.integer)
    .addColumn('state', 'text', (c) => c.notNull())
    .execute();
  await index(db, 'token', ['subject']);
  await index(db, 'token', ['parent']);
  await db.schema
    .createTable('approval')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('version', column.integer, (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('lane', 'text')
    .addColumn('subject_hash', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('requested_at', column.integer, (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .execute();
  await index(db, 'approval', ['subject', 'kind']);
  await index(db, 'approval', ['status', 'requested_at']);
}

function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  return db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
