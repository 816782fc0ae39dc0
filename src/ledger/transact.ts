import type { Kysely } from 'kysely';
import type { Instant } from '../domain/work/ids.ts';
import type { Result } from '../lib/result.ts';
import type { LedgerEngine } from './engine.ts';
import type { Tables } from './tables.ts';
import { beginTx, type Tx } from './transaction.ts';

export type Clock = () => Instant;

export type Work<T, E> = (tx: Tx) => Promise<Result<T, E>>;

export type Outcome<T, E> = { readonly result: Result<T, E>; readonly recorded: number };

/** One command in one transaction: what it records is kept only when it returns ok. */
export async function transact<T, E>(
  db: Kysely<Tables>,
  engine: LedgerEngine,
  actor: string,
  now: Clock,
  work: Work<T, E>,
): Promise<Outcome<T, E>> {
  let refused: Result<T, E> | null = null;
  try {
    return await db.transaction().execute(async (trx) => {
      const tx = beginTx(trx, engine, actor, now());
      const result = await work(tx);
      if (!result.ok) {
        refused = result;
        throw new Refused();
      }
      return { result, recorded: tx.recorded };
    });
  } catch (error) {
    if (error instanceof Refused && refused !== null) return { result: refused, recorded: 0 };
    throw error;
  }
}

/** Leaves a transaction without keeping anything; never seen outside. */
class Refused extends Error {}
