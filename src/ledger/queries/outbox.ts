import type { Kysely } from 'kysely';
import { chunks } from '../chunks.ts';
import type { DeliveryRow, NotificationRow } from '../outbox.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type OutboxFilter = {
  readonly target?: string | undefined;
  readonly status?: readonly string[] | undefined;
  readonly before?: { readonly at: number; readonly id: string } | undefined;
  readonly limit: number;
};

export type OutboxEntry = NotificationRow & { readonly deliveries: readonly DeliveryRow[] };

/** What people were told, newest first, and what became of it. */
export async function outbox(db: Db, filter: OutboxFilter): Promise<OutboxEntry[]> {
  const { target, status, before, limit } = filter;
  let query = db
    .selectFrom('notification')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (target !== undefined || status !== undefined)
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom('delivery')
          .select('delivery.target')
          .whereRef('delivery.notification', '=', 'notification.id')
          .$if(target !== undefined, (some) => some.where('delivery.target', '=', target ?? ''))
          .$if(status !== undefined, (some) => some.where('delivery.status', 'in', status ?? [])),
      ),
    );
  if (before !== undefined)
    query = query.where((eb) =>
      eb.or([eb('at', '<', before.at), eb('at', '=', before.at).and('id', '<', before.id)]),
    );
  const notifications = await query.execute();
  const deliveries = await deliveriesOf(
    db,
    notifications.map(({ id }) => id),
  );
  return notifications.map((row) => ({ ...row, deliveries: deliveries.get(row.id) ?? [] }));
}

async function deliveriesOf(db: Db, ids: readonly string[]): Promise<Map<string, DeliveryRow[]>> {
  const rows: DeliveryRow[] = [];
  for (const some of chunks(ids))
    rows.push(
      ...(await db
        .selectFrom('delivery')
        .selectAll()
        .where('notification', 'in', some)
        .orderBy('target')
        .execute()),
    );
  return Map.groupBy(rows, ({ notification }) => notification);
}
