import type { Kysely } from 'kysely';
import type { Column } from './column.ts';

/** Attempts, changes, queues, and what gates have answered. */
export async function up(db: Kysely<unknown>, column: Column): Promise<void> {
  await db.schema
    .createTable('attempt')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('version', column.integer, (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('task', 'text', (c) => c.notNull())
    .addColumn('convoy', 'text', (c) => c.notNull())
    .addColumn('repo', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('created_at', column.integer, (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('attempt_by_status').on('attempt').column('status').execute();
  await db.schema.createIndex('attempt_by_task').on('attempt').column('task').execute();
  await db.schema
    .createTable('change')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('version', column.integer, (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('queue', 'text', (c) => c.notNull())
    .addColumn('task', 'text', (c) => c.notNull())
    .addColumn('convoy', 'text')
    .addColumn('enqueued_at', column.integer, (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('change_by_queue')
    .on('change')
    .columns(['queue', 'status'])
    .execute();
  await db.schema.createIndex('change_by_task').on('change').column('task').execute();
  await db.schema
    .createTable('queue')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('version', column.integer, (c) => c.notNull())
    .addColumn('repo', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('gate_answer')
    .addColumn('repo', 'text', (c) => c.notNull())
    .addColumn('tree', 'text', (c) => c.notNull())
    .addColumn('gates', 'text', (c) => c.notNull())
    .addColumn('colour', 'text', (c) => c.notNull())
    .addColumn('base', 'text', (c) => c.notNull())
    .addColumn('members', 'text', (c) => c.notNull())
    .addColumn('gate', 'text')
    .addColumn('log', 'text')
    .addColumn('at', column.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('gate_answer_pk', ['repo', 'tree', 'gates'])
    .execute();
}
