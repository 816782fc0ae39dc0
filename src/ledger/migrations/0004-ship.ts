import type { Kysely } from 'kysely';
import type { Column } from './column.ts';

/** Runs of plans. */
export async function up(db: Kysely<unknown>, column: Column): Promise<void> {
  await db.schema
    .createTable('run')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('version', column.integer, (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('plan', 'text', (c) => c.notNull())
    .addColumn('created_at', column.integer, (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('run_by_status').on('run').column('status').execute();
  await db.schema.createIndex('run_by_plan').on('run').column('plan').execute();
}
