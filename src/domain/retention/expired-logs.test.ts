import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { expiredLogs, type KeptLog } from './expired-logs.ts';

const DAY = 86_400_000;
const NOW = 100 * DAY;
const log = (name: string, ageDays: number, gb = 0): KeptLog => ({
  name,
  bytes: gb * 1e9,
  lastAt: NOW - ageDays * DAY,
});
const none = (): boolean => false;

test('what is older than allowed goes', () => {
  const logs = [log('new', 1), log('old', 31), log('edge', 30)];
  expect(expiredLogs(logs, none, { days: 30, gb: 5 }, NOW)).toEqual(['old']);
  expect(expiredLogs(logs, none, { days: 0, gb: 5 }, NOW)).toEqual([]);
});

test('what is too much goes, the oldest first', () => {
  const logs = [log('c', 1, 2), log('a', 9, 2), log('b', 5, 2)];
  expect(expiredLogs(logs, none, { days: 30, gb: 5 }, NOW)).toEqual(['a']);
  expect(expiredLogs(logs, none, { days: 30, gb: 1 }, NOW)).toEqual(['a', 'b', 'c']);
  expect(expiredLogs(logs, none, { days: 30, gb: 0 }, NOW)).toEqual([]);
});

const logs = fc.uniqueArray(
  fc.record({ name: fc.string(), bytes: fc.nat(3e9), lastAt: fc.nat(NOW) }),
  { selector: ({ name }) => name },
);
const limits = fc.record({ days: fc.nat(60), gb: fc.nat(10) });

const isOpen = (name: string): boolean => name.length % 2 === 0;

test('what is open stays, nothing goes twice, and without need nothing goes', () => {
  fc.assert(
    fc.property(logs, limits, (all, retention) => {
      const gone = expiredLogs(all, isOpen, retention, NOW);
      expect(gone.filter(isOpen)).toEqual([]);
      expect(new Set(gone).size).toBe(gone.length);
      const young = all.every(({ lastAt }) => NOW - lastAt <= retention.days * DAY);
      const small = all.reduce((sum, { bytes }) => sum + bytes, 0) <= retention.gb * 1e9;
      expect(gone.length === 0 || !young || !small).toBe(true);
    }),
  );
});
