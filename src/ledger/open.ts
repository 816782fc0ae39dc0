import { Kysely } from 'kysely';
import type { Result } from '../lib/result.ts';
import type { Changes } from './changes.ts';
import { sqliteDialect } from './dialects/sqlite.ts';
import { sqliteChanges } from './dialects/sqlite-changes.ts';
import type { LedgerEngine } from './engine.ts';
import { migrate } from './migrate.ts';
import type { Tables } from './tables.ts';
import { type Clock, transact, type Work } from './transact.ts';

/** The one durable record of a workspace. */
export type Ledger = {
  readonly engine: LedgerEngine;
  /** Where it is, without secrets. */
  readonly location: string;
  readonly db: Kysely<Tables>;
  readonly changes: Changes;
  /** One transaction per command: what it records is kept only when it returns ok. */
  write<T, E>(actor: string, work: Work<T, E>): Promise<Result<T, E>>;
  /** Makes committed events visible to readers of the feed; nothing to do on SQLite. */
  seal(): Promise<void>;
  close(): Promise<void>;
};

/** Opens, and if need be creates, the ledger at a file path or a postgres:// URL. */
export async function openLedger(location: string, now: Clock): Promise<Ledger> {
  if (!/^postgres(ql)?:\/\//.test(location)) return openSqlite(location, now);
  // Loaded only here: the embedded default must not pay for a driver it does not use.
  const { openPostgres } = await import('./open-postgres.ts');
  return openPostgres(location, now);
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
