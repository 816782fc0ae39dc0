import { Kysely } from 'kysely';
import { retryingClashes } from './clashes.ts';
import { postgresDialect } from './dialects/postgres.ts';
import { postgresChanges } from './dialects/postgres-changes.ts';
import { withoutSecrets } from './dialects/postgres-url.ts';
import { migrate } from './migrate.ts';
import type { Ledger } from './open.ts';
import { anyUnsealed, sealPending } from './sealer.ts';
import { sealingBy } from './sealing.ts';
import type { Tables } from './tables.ts';
import { type Clock, transact } from './transact.ts';

/** A single command is in the feed at once; busy writers share a seal. */
const PACE = { lingerMs: 2, apartMs: 50 };

export async function openPostgres(url: string, now: Clock): Promise<Ledger> {
  const db = new Kysely<Tables>({ dialect: postgresDialect(url) });
  try {
    await migrate(db, 'postgres');
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const changes = postgresChanges(url);
  const sealing = sealingBy(async () => {
    if ((await sealPending(db)) > 0) changes.poke();
  }, PACE);
  return {
    engine: 'postgres',
    location: withoutSecrets(url),
    db,
    changes,
    write: async (actor, work) => {
      const { result, recorded } = await retryingClashes((queue) =>
        transact(db, 'postgres', actor, now, async (tx) => {
          if (queue !== null) await tx.alone(queue);
          return work(tx);
        }),
      );
      // A change is announced when it is sealed, so that whoever wakes finds it in the feed.
      if (recorded > 0) sealing.soon();
      return result;
    },
    seal: async () => {
      if (await anyUnsealed(db)) await sealing.now();
    },
    close: async () => {
      await sealing.close();
      await changes.close();
      await db.destroy();
    },
  };
}
