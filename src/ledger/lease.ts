import { type Kysely, sql } from 'kysely';
import type { LedgerEngine } from './engine.ts';
import type { Tables } from './tables.ts';

export type Lease = {
  readonly name: string;
  readonly holder: string;
  /** Grows with every new holder: work done under an older number is refused. */
  readonly fence: number;
};

/** Who holds a lease now, by the database's clock; null when it has lapsed or was never taken. */
export async function leaseHolder(
  db: Kysely<Tables>,
  engine: LedgerEngine,
  name: string,
): Promise<Lease | null> {
  const row = await db
    .selectFrom('lease')
    .select(['name', 'holder', 'fence'])
    .where('name', '=', name)
    .where('expires_at', '>', databaseNow(engine))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Takes a lease that is free or lapsed, or renews our own. `over` names a holder known to be dead,
 * whose lease need not lapse first. Null when somebody else holds it.
 */
export async function takeLease(
  db: Kysely<Tables>,
  engine: LedgerEngine,
  wish: { name: string; holder: string; ttlMs: number; over?: string | undefined },
): Promise<Lease | null> {
  const now = databaseNow(engine);
  const { name, holder, ttlMs, over } = wish;
  const row = await db
    .insertInto('lease')
    .values({ name, holder, fence: 1, expires_at: sql<number>`${now} + ${sql.lit(ttlMs)}` })
    .onConflict((clash) =>
      clash
        .column('name')
        .doUpdateSet({
          holder,
          fence: sql<number>`case when lease.holder = ${holder} then lease.fence else lease.fence + 1 end`,
          expires_at: sql<number>`${now} + ${sql.lit(ttlMs)}`,
        })
        .where((eb) =>
          eb.or([
            eb('lease.holder', '=', holder),
            eb('lease.holder', '=', over ?? holder),
            eb('lease.expires_at', '<=', now),
          ]),
        ),
    )
    .returning(['name', 'holder', 'fence'])
    .executeTakeFirst();
  return row ?? null;
}

/** Gives a lease back early, so that the next one need not wait. */
export async function dropLease(db: Kysely<Tables>, name: string, holder: string): Promise<void> {
  await db
    .updateTable('lease')
    .set({ expires_at: 0 })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute();
}

/** Leases run by the database's clock, which all contenders share. */
const databaseNow = (engine: LedgerEngine): ReturnType<typeof sql<number>> =>
  engine === 'sqlite'
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
