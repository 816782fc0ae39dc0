import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChangeId, changeId } from '../work/ids.ts';
import {
  LONGEST_HEAD_START_MS,
  orderQueue,
  type Queued,
  STEP_MS,
  turnAt,
  turnOf,
} from './order.ts';

const change = (id: string, rest: Partial<Queued> = {}): Queued => ({
  id: changeId(id),
  priority: 2,
  enqueuedAt: 0,
  movedTo: null,
  needs: [],
  ...rest,
});
const ids = (entries: readonly Queued[]): string[] => entries.map((entry) => entry.id);

describe('GT-157', () => {
  test('urgent first, odd priorities as the least urgent, ties by id', () => {
    const priorities = { z: 0, y: 1, x: 2, w: 3, e: 4, d: -1, c: -100, b: 10, a: 1.5 };
    const entries = Object.entries(priorities).map(([id, priority]) => change(id, { priority }));
    expect(ids(orderQueue(entries.toReversed()))).toEqual(Array.from('zyxwabcde'));
  });

  test('the older of two equals comes first', () => {
    const entries = [change('a', { enqueuedAt: 2 }), change('b', { enqueuedAt: 1 })];
    expect(ids(orderQueue(entries))).toEqual(['b', 'a']);
  });

  test('an hour of waiting is worth one step of priority', () => {
    const old = change('old', { priority: 3 });
    const soon = change('new', { priority: 2, enqueuedAt: STEP_MS - 1 });
    const late = change('new', { priority: 2, enqueuedAt: STEP_MS + 1 });
    expect(ids(orderQueue([old, soon]))).toEqual(['new', 'old']);
    expect(ids(orderQueue([old, late]))).toEqual(['old', 'new']);
  });
});

describe('needs', () => {
  test('a change that an urgent one needs is as urgent', () => {
    const entries = [
      change('urgent', { priority: 0, needs: [changeId('slow')] }),
      change('slow', { priority: 4 }),
      change('middle', { priority: 1 }),
    ];
    expect(ids(orderQueue(entries))).toEqual(['slow', 'urgent', 'middle']);
  });

  test('a circle is put in some order and nothing is lost', () => {
    const entries = [
      change('a', { needs: [changeId('b')] }),
      change('b', { needs: [changeId('a')] }),
    ];
    expect(ids(orderQueue(entries)).toSorted()).toEqual(['a', 'b']);
  });
});

const queues = fc
  .array(
    fc.record({
      priority: fc.integer({ min: -2, max: 7 }),
      enqueuedAt: fc.nat(10 * STEP_MS),
      movedTo: fc.option(fc.nat(10 * STEP_MS), { freq: 8 }),
      needs: fc.array(fc.nat(20), { maxLength: 3 }),
    }),
    { maxLength: 20 },
  )
  .map((entries) =>
    entries.map((entry, n) => ({
      ...entry,
      id: changeId(`c${n}`),
      needs: entry.needs.filter((need) => need < n).map((need) => changeId(`c${need}`)),
    })),
  );

test('every change stands behind all it needs, and the order does not depend on how they came', () => {
  fc.assert(
    fc.property(queues, fc.array(fc.nat()), (entries, keys) => {
      const ordered = orderQueue(entries);
      const place = new Map(ordered.map((entry, n) => [entry.id, n]));
      for (const { id, needs } of ordered)
        for (const need of needs) expect(place.get(need)).toBeLessThan(place.get(id) ?? -1);
      const shuffled = entries
        .map((entry, n) => ({ entry, key: keys[n] ?? 0 }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ entry }) => entry);
      expect(ids(orderQueue(shuffled))).toEqual(ids(ordered));
      expect(ordered).toHaveLength(entries.length);
    }),
  );
});

test('GT-157 nothing that comes four hours later gets ahead, unless an earlier change needs it', () => {
  fc.assert(
    fc.property(queues, (moved) => {
      const entries = moved.map((entry) => ({ ...entry, movedTo: null }));
      const ordered = orderQueue(entries);
      ordered.forEach((waiting, n) => {
        const deadline = waiting.enqueuedAt + LONGEST_HEAD_START_MS;
        for (const ahead of ordered.slice(0, n)) {
          const reasons = [ahead, ...dependentsOf(ahead.id, entries)];
          expect(Math.min(...reasons.map((one) => one.enqueuedAt))).toBeLessThanOrEqual(deadline);
        }
      });
    }),
  );
});

test('a change is moved to the asked place when no two turns are equal', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1000), { minLength: 1 }), fc.nat(), (times, at) => {
      const others = times.map((time) => change(`c${time}`, { enqueuedAt: time * 2 }));
      const asked = at % (others.length + 1);
      const moved = change('moved', { movedTo: turnAt(others, asked) });
      expect(ids(orderQueue([...others, moved])).indexOf('moved')).toBe(asked);
    }),
  );
});

test('moving to the front goes past a change that inherited its place', () => {
  const others = [
    change('urgent', { priority: 0, needs: [changeId('slow')] }),
    change('slow', { priority: 4 }),
  ];
  const moved = change('moved', { movedTo: turnAt(others, 0) });
  expect(ids(orderQueue([...others, moved]))[0]).toBe('moved');
  expect(turnOf(moved)).toBeLessThan(0);
});

function dependentsOf(id: ChangeId, entries: readonly Queued[]): Queued[] {
  const direct = entries.filter((entry) => entry.needs.includes(id));
  return [...direct, ...direct.flatMap((entry) => dependentsOf(entry.id, entries))];
}
