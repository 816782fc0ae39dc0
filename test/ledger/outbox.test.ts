import { expect, test } from 'vitest';
import {
  type DueDelivery,
  claim,
  dueDeliveries,
  notifyCursor,
  post,
  settle,
  type Posting,
} from '../../src/ledger/outbox.ts';
import { outbox } from '../../src/ledger/queries/outbox.ts';
import { onBothEngines } from './both-engines.ts';

const posting = (id: string, at: number): Posting => ({
  notification: {
    id,
    subject: `convoy/${id}`,
    kind: 'landed',
    epoch: 0,
    seq: at,
    at,
    title: `Landed: ${id}`,
    body: '',
    facts: '{}',
  },
  targets: [
    { name: 'box', stored: true },
    { name: 'me', stored: false },
  ],
});
const alone = (item: DueDelivery): Parameters<typeof claim>[1] => ({
  message: item.message,
  target: item.target,
  items: [item],
});

onBothEngines('the outbox', (place) => {
  test('GT-176 observers that say the same at once leave one notification, and the cursor never goes back', async () => {
    const ledgers = [await place.open(), await place.open(), await place.open()];
    await Promise.all(ledgers.map((ledger, at) => post(ledger, [posting('a', 1)], 7 - at)));
    const [{ db }] = ledgers as [(typeof ledgers)[0]];
    const entries = await outbox(db, { limit: 10 });
    expect(entries.map(({ id, deliveries }) => [id, deliveries.length])).toEqual([['a', 2]]);
    expect(await notifyCursor(db)).toBe(7);
  });

  test('GT-176 of senders that want the same at once one gets it', async () => {
    const ledgers = [await place.open(), await place.open(), await place.open()];
    const [first] = ledgers as [(typeof ledgers)[0]];
    await post(first, [posting('a', 1)], 1);
    const [due] = await dueDeliveries(first.db, 1e12, { limit: 9, newsOnly: true });
    const claims = await Promise.all(
      ledgers.map((ledger, at) =>
        claim(ledger, alone(due as DueDelivery), { claim: `c${at}`, now: 1, until: 2 }),
      ),
    );
    expect(claims.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await dueDeliveries(first.db, 1e12, { limit: 9, newsOnly: false })).toEqual([]);
  });

  test('only the newest sender may say how it ended', async () => {
    const ledger = await place.open();
    await post(ledger, [posting('a', 1)], 1);
    const [due] = await dueDeliveries(ledger.db, 1e12, { limit: 9, newsOnly: true });
    await claim(ledger, alone(due as DueDelivery), { claim: 'c1', now: 1, until: 2 });
    await settle(ledger, { claim: 'other', tries: 1 }, { status: 'delivered' }, 3);
    const statuses = async (): Promise<string[]> =>
      (await outbox(ledger.db, { limit: 9 })).flatMap(({ deliveries }) =>
        deliveries.map(({ target, status }) => `${target} ${status}`),
      );
    expect(await statuses()).toEqual(['box delivered', 'me sending']);
    await settle(ledger, { claim: 'c1', tries: 1 }, { status: 'delivered' }, 3);
    expect(await statuses()).toEqual(['box delivered', 'me delivered']);
  });

  test('the list goes from new to old, page by page, and can be narrowed', async () => {
    const ledger = await place.open();
    await post(ledger, [posting('a', 1), posting('b', 2), posting('c', 2)], 2);
    const ids = async (filter: Parameters<typeof outbox>[1]): Promise<string[]> =>
      (await outbox(ledger.db, filter)).map(({ id }) => id);
    expect(await ids({ limit: 2 })).toEqual(['c', 'b']);
    expect(await ids({ limit: 2, before: { at: 2, id: 'b' } })).toEqual(['a']);
    expect(await ids({ limit: 9, target: 'box', status: ['pending'] })).toEqual([]);
    expect(await ids({ limit: 9, target: 'me', status: ['pending'] })).toEqual(['c', 'b', 'a']);
  });
});
