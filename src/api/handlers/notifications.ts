import { listNotifications, type NotificationJson } from '../../contract/routes/notifications.ts';
import type { DeliveryRow } from '../../ledger/outbox.ts';
import { outbox, type OutboxEntry } from '../../ledger/queries/outbox.ts';
import { ok } from '../../lib/result.ts';
import { reads } from '../context.ts';
import { cursorOf, readCursor } from '../cursor.ts';

export const notificationsList = reads(listNotifications, async ({ query }, { ledger }) => {
  const from = readCursor(query.cursor);
  if (!from.ok) return from;
  const found = await outbox(ledger.db, {
    target: query.target,
    status: query.status,
    before: from.value === undefined ? undefined : { at: from.value.createdAt, id: from.value.id },
    limit: query.limit + 1,
  });
  const page = found.slice(0, query.limit);
  const last = found.length > page.length ? page.at(-1) : undefined;
  return ok({
    notifications: page.map(notificationJson),
    next: cursorOf(last === undefined ? undefined : { createdAt: last.at, id: last.id }),
  });
});

const notificationJson = (entry: OutboxEntry): NotificationJson => ({
  id: entry.id,
  kind: entry.kind,
  subject: entry.subject,
  epoch: entry.epoch,
  seq: entry.seq,
  at: iso(entry.at),
  title: entry.title,
  text: entry.body,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the notify loop wrote this column
  facts: JSON.parse(entry.facts) as NotificationJson['facts'],
  deliveries: entry.deliveries.map(deliveryJson),
});

const deliveryJson = (row: DeliveryRow): NotificationJson['deliveries'][number] => ({
  target: row.target,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the outbox knows no other words
  status: row.status as NotificationJson['deliveries'][number]['status'],
  tries: row.tries,
  next_at: row.next_at === null ? null : iso(row.next_at),
  error: row.error,
  updated_at: iso(row.updated_at),
});

const iso = (at: number): string => new Date(at).toISOString();
