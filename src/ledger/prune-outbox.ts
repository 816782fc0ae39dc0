import { sql } from 'kysely';
import { ok } from '../lib/result.ts';
import type { Ledger } from './open.ts';

const OVER = ['delivered', 'dead', 'unconfirmed'];
const ENDED = ['landed', 'closed', 'cancelled'];
const MOST = 500;

/**
 * Forgets notifications from before an instant that have reached everybody or never will. Those about a
 * convoy that has not ended stay. Nothing is told again by it: the cursor is past the events they came from.
 */
export async function pruneOutbox(ledger: Ledger, before: number): Promise<number> {
  const pruned = await ledger.write('engine', async (tx) => {
    const rows = await tx.db
      .selectFrom('notification')
      .select('id')
      .where('at', '<', before)
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('delivery')
              .select('delivery.target')
              .whereRef('delivery.notification', '=', 'notification.id')
              .where('delivery.status', 'not in', OVER),
          ),
        ),
      )
      .where('subject', 'not in', (where) =>
        where
          .selectFrom('convoy')
          .select(sql<string>`'convoy/' || ${sql.ref('convoy.id')}`.as('subject'))
          .where('convoy.status', 'not in', ENDED),
      )
      .limit(MOST)
      .execute();
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return ok(0);
    await tx.db.deleteFrom('delivery').where('notification', 'in', ids).execute();
    await tx.db.deleteFrom('notification').where('id', 'in', ids).execute();
    return ok(ids.length);
  });
  return pruned.ok ? pruned.value : 0;
}
