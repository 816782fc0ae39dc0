import { type Kysely, sql } from 'kysely';
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
 * process at a time seals what is committed, in small batches. Whoever holds the lock does it for
 * everybody. Returns how many it sealed, or null when another process is at it.
 */
export async function sealPending(db: Kysely<Tables>): Promise<number | null> {
  let total = 0;
  for (;;) {
    const sealed = await db.transaction().execute(sealBatch);
    if (sealed === null) return total === 0 ? null : total;
    total += sealed;
    if (sealed < BATCH) return total;
  }
}

async function sealBatch(tx: Kysely<Tables>): Promise<number | null> {
  const { rows } = await sql<{
    held: boolean;
  }>`select pg_try_advisory_xact_lock(${sql.lit(SEAL_LOCK)}) as held`.execute(tx);
  if (rows[0]?.held !== true) return null;
  const pending = await tx
    .selectFrom('event')
    .selectAll()
    .where('seq', 'is', null)
    .orderBy('id')
    .limit(BATCH)
    .execute();
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
  await sql`
    update event set seq = sealed.seq, hash = sealed.hash
    from unnest(${ids}::bigint[], ${seqs}::bigint[], ${hashes}::text[]) as sealed (id, seq, hash)
    where event.id = sealed.id`.execute(tx);
  return pending.length;
}
