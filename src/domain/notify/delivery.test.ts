import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterCrash, afterSend, MOST_TRIES, type Sent } from './delivery.ts';
import { messageOf, pack } from './digest.ts';

const NO: Sent = { kind: 'failed', reason: 'HTTP 500' };
const once = { tries: 1, repeatable: true };

test.each([
  [1, 5_000],
  [2, 10_000],
  [3, 20_000],
  [9, 1_280_000],
])('after try %i the next waits %i ms, give or take a fifth', (tries, wait) => {
  const at = (chance: number): unknown => afterSend(NO, { tries, repeatable: false }, 1000, chance);
  expect(at(0.5)).toEqual({ status: 'pending', nextAt: 1000 + wait, error: 'HTTP 500' });
  expect(at(0)).toMatchObject({ nextAt: 1000 + wait * 0.8 });
  expect(at(1)).toMatchObject({ nextAt: 1000 + wait * 1.2 });
});

test('the last try is the last', () => {
  const end = afterSend(NO, { tries: MOST_TRIES, repeatable: true }, 0, 0);
  expect(end).toEqual({ status: 'dead', error: 'HTTP 500' });
});

test('a refusal is not asked again', () => {
  const gone: Sent = { kind: 'refused', reason: 'HTTP 410' };
  expect(afterSend(gone, once, 0, 0)).toEqual({ status: 'dead', error: 'HTTP 410' });
});

test('what may have arrived is repeated only where that cannot be seen', () => {
  const unsure: Sent = { kind: 'unsure', reason: 'no answer' };
  expect(afterSend(unsure, once, 0, 0).status).toBe('pending');
  expect(afterSend(unsure, { tries: 1, repeatable: false }, 0, 0).status).toBe('unconfirmed');
  expect(afterCrash(true, 7)).toMatchObject({ status: 'pending', nextAt: 7 });
  expect(afterCrash(false, 7).status).toBe('unconfirmed');
});

type Waits = Parameters<typeof pack>[0][number];
const fresh = (notice: string): Waits => ({
  notice,
  target: 'me',
  message: messageOf(notice, 'me'),
  sentBefore: false,
});

const some = (count: number): Waits[] => Array.from({ length: count }, (_, at) => fresh(`n${at}`));

test('five travel alone, six as one digest', () => {
  expect(pack(some(5), () => 'd').map(({ message }) => message)).toEqual(
    ['n0', 'n1', 'n2', 'n3', 'n4'].map((notice) => `${notice}@me`),
  );
  expect(pack(some(6), () => 'd')).toMatchObject([{ message: 'd', items: { length: 6 } }]);
});

test('a digest that failed goes again as the same digest, whatever else has come', () => {
  const before = ['a', 'b'].map((notice) => ({
    ...fresh(notice),
    message: 'old',
    sentBefore: true,
  }));
  const parcels = pack([...before, ...['c', 'd', 'e', 'f', 'g', 'h'].map(fresh)], () => 'new');
  expect(parcels.map(({ message, items }) => [message, items.map(({ notice }) => notice)])).toEqual(
    [
      ['old', ['a', 'b']],
      ['new', ['c', 'd', 'e', 'f', 'g', 'h']],
    ],
  );
});

test('packing loses nothing and doubles nothing', () => {
  const waits = fc.uniqueArray(
    fc.record({ id: fc.nat(300), before: fc.constantFrom(null, 'alone', 'x', 'y') }),
    { selector: ({ id }) => id, maxLength: 150 },
  );
  fc.assert(
    fc.property(waits, (all) => {
      const waiting = all.map(({ id, before }): Waits => {
        const alone = fresh(`n${id}`);
        const message = before === null || before === 'alone' ? alone.message : before;
        return { ...alone, message, sentBefore: before !== null };
      });
      let last = 0;
      const parcels = pack(waiting, () => `d${last++}`);
      const packed = parcels.flatMap(({ items }) => items.map(({ notice }) => notice));
      expect(packed.toSorted()).toEqual(waiting.map(({ notice }) => notice).toSorted());
      expect(new Set(parcels.map(({ message }) => message)).size).toBe(parcels.length);
      for (const { message, items } of parcels)
        for (const item of items.filter(({ sentBefore }) => sentBefore))
          expect(item.message).toBe(message);
    }),
  );
});
