import { type Kysely, sql } from 'kysely';
import type { Column } from './column.ts';

/** Events, and the current state of tasks, convoys and repos. */
export async function up(db: Kysely<unknown>, column: Column): Promise<void> {
  await db.schema
    .createTable('event')
    .addColumn('id', column.rowId, column.asRowId)
    .addColumn('seq', column.integer, (c) => c.unique())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('version', column.integer, (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('at', column.integer, (c) => c.notNull())
    .addColumn('hash', 'text')
    .addUniqueConstraint('event_subject_version', ['subject', 'version'])
    .execute();
  // Finds what waits to be sealed without looking at what is; sealed at once on SQLite.
  if (column.sealsLater)
    await db.schema
      .createIndex('event_unsealed')
      .on('event')
      .column('id')
      .where(sql.ref('seq'), 'is', null)
      .execute();
  await createTask(db, column);
  await createConvoy(db, column);
  await db.schema
    .createTable('repo_state')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('version', column.integer, (c) => c.notNull())
    .addColumn('parked', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .execute();
  await createPlumbing(db, column);
}

async function createTask(db: Kysely<unknown>, column: Column): Promise<void> {
  await db.schema
    .createTable('task')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('version', column.integer, (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('repo', 'text')
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('priority', column.integer, (c) => c.notNull())
    .addColumn('parent', 'text')
    .addColumn('assignee', 'text')
    .addColumn('estimate_minutes', column.integer)
    .addColumn('created_at', column.integer, (c) => c.notNull())
    .addColumn('updated_at', column.integer, (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .execute();
  await index(db, 'task', ['parent']);
  await index(db, 'task', ['status', 'repo']);
  await index(db, 'task', ['created_at', 'id']);
  await db.schema
    .createTable('dependency')
    .addColumn('task', 'text', (c) => c.notNull())
    .addColumn('on_task', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('level', 'text')
    .addColumn('children', 'text')
    .addPrimaryKeyConstraint('dependency_pk', ['task', 'on_task', 'kind'])
    .execute();
  await index(db, 'dependency', ['on_task']);
  await db.schema
    .createTable('task_label')
    .addColumn('task', 'text', (c) => c.notNull())
    .addColumn('label', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('task_label_pk', ['label', 'task'])
    .execute();
  await index(db, 'task_label', ['task']);
}

async function createConvoy(db: Kysely<unknown>, column: Column): Promise<void> {
  await db.schema
    .createTable('convoy')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('version', column.integer, (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('feeding', column.integer, (c) => c.notNull())
    .addColumn('epic', 'text')
    .addColumn('created_at', column.integer, (c) => c.notNull())
    .addColumn('ended_at', column.integer)
    .addColumn('state', 'text', (c) => c.notNull())
    .execute();
  await index(db, 'convoy', ['status']);
  await db.schema
    .createTable('convoy_task')
    .addColumn('convoy', 'text', (c) => c.notNull())
    .addColumn('task', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('convoy_task_pk', ['convoy', 'task'])
    .execute();
  await index(db, 'convoy_task', ['task']);
}

async function createPlumbing(db: Kysely<unknown>, column: Column): Promise<void> {
  await db.schema
    .createTable('meta')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('idempotency')
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('route', 'text', (c) => c.notNull())
    .addColumn('request', 'text', (c) => c.notNull())
    .addColumn('response', 'text', (c) => c.notNull())
    .addColumn('at', column.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_pk', ['key', 'actor'])
    .execute();
  await db.schema
    .createTable('lease')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('holder', 'text', (c) => c.notNull())
    .addColumn('fence', column.integer, (c) => c.notNull())
    .addColumn('expires_at', column.integer, (c) => c.notNull())
    .execute();
}

function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  return db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
