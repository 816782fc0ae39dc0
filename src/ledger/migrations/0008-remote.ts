import type { Kysely } from 'kysely';
import type { Column } from './column.ts';

/** Branches of our own and their copies on remotes. */
export async function up(db: Kysely<unknown>, column: Column): Promise<void> {
  await db.schema
    .createTable('branch')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('version', column.integer, (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('repo', 'text', (c) => c.notNull())
    .addColumn('convoy', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('branch_by_status')
    .on('branch')
    .columns(['status', 'convoy'])
    .execute();
  await db.schema.createIndex('branch_by_convoy').on('branch').column('convoy').execute();
}
