import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { answersDueUntil } from './answers-due.ts';

test('nothing is awaited before it is known how long a run takes, or where none is under way', () => {
  expect(answersDueUntil({ now: 100, begun: [0], took: [] })).toBeNull();
  expect(answersDueUntil({ now: 100, begun: [], took: [100] })).toBeNull();
});

test('runs that began with the one that ended are awaited, later ones are not', () => {
  const took = [100, 104, 98];
  expect(answersDueUntil({ now: 100, begun: [0, 3], took })).toBe(123);
  expect(answersDueUntil({ now: 100, begun: [60], took })).toBeNull();
  expect(answersDueUntil({ now: 100, begun: [0, 60], took })).toBe(120);
});

test('a run that takes much longer than usual is awaited no more', () => {
  expect(answersDueUntil({ now: 119, begun: [0], took: [100] })).toBe(120);
  expect(answersDueUntil({ now: 120, begun: [0], took: [100] })).toBeNull();
});

test('where runs take now this long and now that, nobody waits', () => {
  expect(answersDueUntil({ now: 100, begun: [0], took: [40, 60, 100, 140, 180] })).toBeNull();
});

test('whatever runs there are, slots stay empty for less than half of a run', () => {
  const times = fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 8 });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 20_000 }),
      times,
      fc.integer({ min: 1, max: 5000 }),
      (now, begun, usual) => {
        const wait = (answersDueUntil({ now, begun, took: [usual] }) ?? now) - now;
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(0.4 * usual + 1e-6);
      },
    ),
  );
});
