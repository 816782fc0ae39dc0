import type { Kysely, Selectable, Updateable } from 'kysely';
import type { DeliveryStatus, Settled } from '../domain/notify/delivery.ts';
import { messageOf, type Parcel, type Waiting } from '../domain/notify/digest.ts';
import type { Instant } from '../domain/work/ids.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Ledger } from './open.ts';
import type { Tables } from './tables.ts';

type Db = Kysely<Tables>;
export type NotificationRow = Selectable<Tables['notification']>;
export type DeliveryRow = Selectable<Tables['delivery']>;
const CURSOR = 'notify-cursor';
const ACTOR = 'engine';

/** Up to which event people have been told. */
export async function notifyCursor(db: Db): Promise<number> {
  const row = await db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', CURSOR)
    .executeTakeFirst();
  return Number(row?.value ?? 0);
}

/** A notification and those it is for; readers of a mere inbox have it as soon as it is stored. */
export type Posting = {
  readonly notification: NotificationRow;
  readonly targets: readonly { readonly name: string; readonly stored: boolean }[];
};

/**
 * Puts notifications into the outbox and moves the cursor, all in one transaction. What is there
 * already stays as it is, so any number of observers may say the same.
 */
export async function post(
  ledger: Ledger,
  postings: readonly Posting[],
  cursor: number,
): Promise<void> {
  await ledger.write(ACTOR, async (tx) => {
    await tx.alone(CURSOR);
    for (const { notification, targets } of postings) {
      const { numInsertedOrUpdatedRows } = await tx.db
        .insertInto('notification')
        .values(notification)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      if ((numInsertedOrUpdatedRows ?? 0n) === 0n || targets.length === 0) continue;
      const rows = targets.map((target) => freshDelivery(notification, target, tx.at));
      await tx.db.insertInto('delivery').values(rows).execute();
    }
    if (cursor > (await notifyCursor(tx.db)))
      await tx.db
        .insertInto('meta')
        .values({ key: CURSOR, value: String(cursor) })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: String(cursor) }))
        .execute();
    if (postings.length > 0) await tx.ring();
    return ok(null);
  });
}

const freshDelivery = (
  { id, seq }: NotificationRow,
  { name, stored }: Posting['targets'][number],
  at: Instant,
): DeliveryRow => ({
  notification: id,
  target: name,
  seq,
  message: messageOf(id, name),
  status: stored ? 'delivered' : 'pending',
  tries: 0,
  next_at: stored ? null : at,
  claim: null,
  claim_until: null,
  error: null,
  updated_at: at,
});

export type DueDelivery = Waiting & { readonly tries: number };

/** Deliveries whose time has come, the oldest first. A clock that was set back makes none wait longer. */
export async function dueDeliveries(
  db: Db,
  now: Instant,
  filter: { readonly limit: number; readonly newsOnly: boolean },
): Promise<DueDelivery[]> {
  const rows = await db
    .selectFrom('delivery')
    .select(['notification as notice', 'target', 'message', 'tries', 'claim'])
    .where('status', '=', 'pending' satisfies DeliveryStatus)
    .where((eb) => eb.or([eb('next_at', '<=', now), eb('updated_at', '>', now)]))
    .$if(filter.newsOnly, (query) => query.where('claim', 'is', null))
    .orderBy('seq')
    .orderBy('notification')
    .orderBy('target')
    .limit(filter.limit)
    .execute();
  return rows.map(({ claim: sender, ...row }) => ({ ...row, sentBefore: sender !== null }));
}

/** When the next delivery that has to wait may be tried; null when none has to. */
export async function nextDelivery(db: Db, now: Instant): Promise<Instant | null> {
  const row = await db
    .selectFrom('delivery')
    .select(({ fn }) => fn.min<number | null>('next_at').as('at'))
    .where('status', '=', 'pending' satisfies DeliveryStatus)
    .where('next_at', '>', now)
    .executeTakeFirst();
  return row?.at ?? null;
}

export type Claimed = {
  readonly claim: string;
  readonly tries: number;
  readonly notifications: readonly NotificationRow[];
};

/**
 * Writes down that a parcel is about to be sent. Refused when any part of it is no longer waiting:
 * then somebody else is sending it.
 */
export async function claim(
  ledger: Ledger,
  parcel: Parcel<DueDelivery>,
  sender: { readonly claim: string; readonly now: Instant; readonly until: Instant },
): Promise<Result<Claimed, 'taken'>> {
  const { message, target, items } = parcel;
  return ledger.write(ACTOR, async (tx) => {
    const { numUpdatedRows } = await tx.db
      .updateTable('delivery')
      .set({
        status: 'sending' satisfies DeliveryStatus,
        message,
        claim: sender.claim,
        claim_until: sender.until,
        updated_at: sender.now,
      })
      .where('target', '=', target)
      .where('status', '=', 'pending')
      .where('message', 'in', [message, ...items.map((item) => item.message)])
      .executeTakeFirstOrThrow();
    if (numUpdatedRows < BigInt(items.length)) return err('taken' as const);
    const notifications = await tx.db
      .selectFrom('notification')
      .innerJoin('delivery', 'delivery.notification', 'notification.id')
      .selectAll('notification')
      .where('delivery.claim', '=', sender.claim)
      .orderBy('notification.seq')
      .orderBy('notification.id')
      .execute();
    const tries = Math.max(...items.map((item) => item.tries));
    return ok({ claim: sender.claim, tries, notifications });
  });
}

/** Writes down how a send ended, also one that was given up for lost, unless it was sent anew since. */
export async function settle(
  ledger: Ledger,
  sent: { readonly claim: string; readonly tries: number },
  outcome: Settled,
  at: Instant,
): Promise<void> {
  await ledger.write(ACTOR, async (tx) => {
    await tx.db
      .updateTable('delivery')
      .set({ ...columnsOf(outcome, at), tries: sent.tries })
      .where('claim', '=', sent.claim)
      .execute();
    await tx.ring();
    return ok(null);
  });
}

export type LostDelivery = { readonly target: string; readonly claim: string };

/** Sends that were begun and whose end nobody wrote down in time. */
export async function lostDeliveries(db: Db, now: Instant): Promise<LostDelivery[]> {
  const rows = await db
    .selectFrom('delivery')
    .select(['target', 'claim'])
    .distinct()
    .where('status', '=', 'sending' satisfies DeliveryStatus)
    .where((eb) => eb.or([eb('claim_until', '<', now), eb('updated_at', '>', now)]))
    .execute();
  return rows.map(({ target, claim: name }) => ({ target, claim: name ?? '' }));
}

/** Gives up a send for lost. Its claim is kept: a late answer may still tell the truth. */
export async function giveUp(
  ledger: Ledger,
  lost: LostDelivery,
  outcome: Settled,
  at: Instant,
): Promise<void> {
  await ledger.write(ACTOR, async (tx) => {
    await tx.db
      .updateTable('delivery')
      .set(columnsOf(outcome, at))
      .where('claim', '=', lost.claim)
      .where('status', '=', 'sending')
      .execute();
    return ok(null);
  });
}

const columnsOf = (outcome: Settled, at: Instant): Updateable<Tables['delivery']> => ({
  status: outcome.status,
  next_at: outcome.status === 'pending' ? outcome.nextAt : null,
  error: outcome.status === 'delivered' ? null : outcome.error,
  claim_until: null,
  updated_at: at,
});
