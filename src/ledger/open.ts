import { Kysely, sql } from 'kysely';
import type { Instant } from '../domain/work/ids.ts';
import type { Result } from '../lib/result.ts';
import type { Changes } from './changes.ts';
import { sqliteDialect } from './dialects/sqlite.ts';
import { sqliteChanges } from './dialects/sqlite-changes.ts';
import type { LedgerEngine } from './engine.ts';
import { migrate } from './migrate.ts';
import type { Tables } from './tables.ts';
import { beginTx, type Tx } from './transaction.ts';

/** The one durable record of a workspace. */
export type Ledger = {
  readonly engine: LedgerEngine;
  /** Where it is, without secrets. */
  readonly location: string;
  readonly db: Kysely<Tables>;
  readonly changes: Changes;
  /** One transaction per command: what it records is kept only when it returns ok. */
  write<T, E>(actor: string, work: (tx: Tx) => Promise<Result<T, E>>): Promise<Result<T, E>>;
  /** Makes committed events visible to readers of the feed; nothing to do on SQLite. */
  seal(): Promise<void>;
  close(): Promise<void>;
};

export type Clock = () => Instant;

/** Opens, and if need be creates, the ledger at a file path or a postgres:// URL. */
export async function openLedger(location: string, now: Clock): Promise<Ledger> {
  return /^postgres(ql)?:\/\//.test(location)
    ? openPostgres(location, now)
    : openSqlite(location, now);
}

async function openSqlite(file: string, now: Clock): Promise<Ledger> {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(file) });
  await migrate(db, 'sqlite');
  const changes = sqliteChanges(file);
  return {
    engine: 'sqlite',
    location: file,
    db,
    changes,
    write: async (actor, work) => {
      const { result, recorded } = await transact(db, 'sqlite', actor, now, work);
      if (recorded > 0) changes.poke();
      return result;
    },
    seal: async () => {},
    close: async () => {
      await changes.close();
      await db.destroy();
    },
  };
}

async function openPostgres(url: string, now: Clock): Promise<Ledger> {
  // Loaded only here: the embedded default must not pay for a driver it does not use.
  const [{ postgresDialect }, { NOTIFY, postgresChanges }, { sealPending }] = await Promise.all([
    import('./dialects/postgres.ts'),
    import('./dialects/postgres-changes.ts'),
    import('./sealer.ts'),
  ]);
  const db = new Kysely<Tables>({ dialect: postgresDialect(url) });
  await migrate(db, 'postgres');
  const changes = postgresChanges(url);
  const seal = async (): Promise<void> => {
    const sealed = await sealPending(db);
    if (sealed !== null && sealed > 0) await sql.raw(NOTIFY).execute(db);
  };
  return {
    engine: 'postgres',
    location: url.replace(/\/\/[^@/]*@/, '//'),
    db,
    changes,
    write: async (actor, work) => {
      const { result, recorded } = await retryingClashes(() =>
        transact(db, 'postgres', actor, now, work),
      );
      if (recorded > 0) {
        await seal();
        changes.poke();
      }
      return result;
    },
    seal,
    close: async () => {
      await changes.close();
      await db.destroy();
    },
  };
}

type Outcome<T, E> = { result: Result<T, E>; recorded: number };

async function transact<T, E>(
  db: Kysely<Tables>,
  engine: LedgerEngine,
  actor: string,
  now: Clock,
  work: (tx: Tx) => Promise<Result<T, E>>,
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

const SERIALIZATION = '40001';
const DEADLOCK = '40P01';
const UNIQUE = '23505';
const MOST_CLASHES = 20;

/** Two writers met on one subject: the later one looks again and decides anew. */
async function retryingClashes<T>(attempt: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isClash(error) || round === MOST_CLASHES) throw error;
    }
  }
}

function isClash(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === SERIALIZATION || error.code === DEADLOCK || error.code === UNIQUE;
}
