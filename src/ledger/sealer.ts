import { type Kysely, type Selectable, sql } from 'kysely';
import { NOTIFY } from './dialects/postgres-channel.ts';
import { prepared } from './prepared.ts';
import { hashEvent } from './seal.ts';
import type { Tables } from './tables.ts';
import { lastSealed } from './transaction.ts';

const SEAL_LOCK = 0x636f6e76;
const BATCH = 500;

/**
 * Gives committed events of a Postgres ledger their place in the feed and their hash.
 *
 * An identity column would lose events for readers that follow it, because a lower number can
 * commit late; a chain inside each transaction would make all writers wait for each other. So one
 * process at a time seals what is committed, in small batches, for everybody. When this returns,
 * whatever was committed before the call is sealed, by us or by another. Says how many were ours.
 */
export async function sealPending(db: Kysely<Tables>): Promise<number> {
  let total = 0;
  for (;;) {
    const sealed = await db.transaction().execute(sealBatch);
    total += sealed;
    if (sealed < BATCH) return total;
  }
}

/** Whether anything that is committed waits to be sealed: one cheap look, no lock. */
export async function anyUnsealed(db: Kysely<Tables>): Promise<boolean> {
  return (await selectUnsealed(db, {})).length > 0;
}

async function sealBatch(tx: Kysely<Tables>): Promise<number> {
  // Each statement sees what was committed before it began, so all that follows is fresh.
  await sql`select pg_advisory_xact_lock(${sql.lit(SEAL_LOCK)})`.execute(tx);
  const pending = await selectPending(tx, {});
  if (pending.length === 0) return 0;
  let { seq, hash } = await lastSealed(tx);
  const ids: number[] = [];
  const seqs: number[] = [];
  const hashes: string[] = [];
  for (const event of pending) {
    seq += 1;
    hash = hashEvent(hash, { ...event, seq });
    ids.push(event.id);
    seqs.push(seq);
    hashes.push(hash);
  }
  // Told with the commit: whoever wakes can read what was sealed.
  await sql`
    with done as (
      update event set seq = sealed.seq, hash = sealed.hash
      from unnest(${ids}::bigint[], ${seqs}::bigint[], ${hashes}::text[]) as sealed (id, seq, hash)
      where event.id = sealed.id
    )
    ${sql.raw(NOTIFY)}`.execute(tx);
  return pending.length;
}

const selectUnsealed = prepared<Record<string, never>, { id: number }>([], (db) =>
  db.selectFrom('event').select('id').where('seq', 'is', null).limit(sql.lit(1)),
);

const selectPending = prepared<Record<string, never>, Selectable<Tables['event']>>([], (db) =>
  db.selectFrom('event').selectAll().where('seq', 'is', null).orderBy('id').limit(sql.lit(BATCH)),
);
