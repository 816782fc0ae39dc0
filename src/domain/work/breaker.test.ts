import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { breakerOf, type Ran } from './breaker.ts';

const SECOND = 1000;
const MOST = 5;
const ran = (status: Ran['status'], end: number, took = 1): Ran => ({
  status,
  startedAt: (end - took) * SECOND,
  endedAt: end * SECOND,
  reason: status === 'failed' ? 'exit 1' : null,
});
const failures = (count: number, from = 1): Ran[] =>
  Array.from({ length: count }, (_, n) => ran('failed', from + n));

test('KG-90 any number of healthy attempts leaves it closed, also beside as many that failed later', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(200), (healthy, slow) => {
      const all = [
        ...Array.from({ length: healthy }, (_, n) => ran('done', n)),
        ...Array.from({ length: slow }, (_, n) => ran('failed', n, 60)),
      ];
      expect(breakerOf(all, MOST, 300 * SECOND)).toEqual({ kind: 'closed' });
    }),
  );
});

test('an agent that fails at once too often in a row is left alone for a while', () => {
  expect(breakerOf(failures(4), MOST, 10 * SECOND)).toEqual({ kind: 'closed' });
  expect(breakerOf(failures(5), MOST, 10 * SECOND)).toEqual({
    kind: 'open',
    until: 65 * SECOND,
    failures: 5,
    last: 'exit 1',
  });
});

test('after the pause one attempt is tried; if that fails too the pause is longer', () => {
  expect(breakerOf(failures(5), MOST, 65 * SECOND)).toEqual({ kind: 'trial', failures: 5 });
  const again = [...failures(5), ran('failed', 70)];
  expect(breakerOf(again, MOST, 71 * SECOND)).toMatchObject({ kind: 'open', until: 190 * SECOND });
});

test.each([
  ['a success', ran('done', 9)],
  ['a failure after a while of work', ran('failed', 30, 20)],
  ['one that was stopped', ran('stopped', 9)],
])('%s closes it', (_, last) => {
  expect(breakerOf([...failures(7), last], MOST, 31 * SECOND).kind).toBe('closed');
});

test('what never started says nothing about the agent, and 0 turns it off', () => {
  const unprepared = failures(9).map((each) => ({ ...each, startedAt: null }));
  expect(breakerOf(unprepared, MOST, 10 * SECOND).kind).toBe('closed');
  expect(breakerOf(failures(9), 0, 10 * SECOND).kind).toBe('closed');
});
