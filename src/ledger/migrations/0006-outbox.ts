import { type Kysely, sql } from 'kysely';
import type { Column } from './column.ts';

/** What people are told, and what became of telling each of them. */
export async function up(db: Kysely<unknown>, column: Column): Promise<void> {
  await db.schema
    .createTable('notification')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('epoch', column.integer, (c) => c.notNull())
    .addColumn('seq', column.integer, (c) => c.notNull())
    .addColumn('at', column.integer, (c) => c.notNull())
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('facts', 'text', (c) => c.notNull())
    .addUniqueConstraint('notification_once', ['subject', 'kind', 'epoch'])
    .execute();
  await db.schema
    .createIndex('notification_by_at')
    .on('notification')
    .columns(['at', 'id'])
    .execute();
  await db.schema
    .createTable('delivery')
    .addColumn('notification', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('seq', column.integer, (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('tries', column.integer, (c) => c.notNull())
    .addColumn('next_at', column.integer)
    .addColumn('claim', 'text')
    .addColumn('claim_until', column.integer)
    .addColumn('error', 'text')
    .addColumn('updated_at', column.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('delivery_pk', ['notification', 'target'])
    .execute();
  await db.schema
    .createIndex('delivery_by_status')
    .on('delivery')
    .columns(['status', 'next_at'])
    .execute();
  await db.schema.createIndex('delivery_by_message').on('delivery').column('message').execute();
  // What happened before there was an outbox is told to nobody.
  await sql`insert into meta (key, value)
    select 'notify-cursor', cast(coalesce(max(seq), 0) as text) from event`.execute(db);
}
