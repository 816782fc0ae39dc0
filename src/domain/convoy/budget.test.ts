import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Review } from '../review/review.ts';
import { type Attempt } from '../work/attempt.ts';
import { budgetState, hasLimits, spendingOf } from './budget.ts';

const NOTHING = { usd: 0, tokens: 0, minutes: 0, attempts: 0 };
const NO_DEFAULTS = { usd: 0, tokens: 0, minutes: 0 };

test.each([
  [0, 'free', ''],
  [3.99, 'free', ''],
  [4, 'near', '$4.00 of $5.00'],
  [4.99, 'near', '$4.99 of $5.00'],
  [5, 'spent', '$5.00 of $5.00'],
  [7.5, 'spent', '$7.50 of $5.00'],
])('$%d of $5 is %s', (usd, level, words) => {
  expect(budgetState({ ...NOTHING, usd }, { usd: 5 }, NO_DEFAULTS)).toMatchObject({ level, words });
});

test('the nearest limit decides, and everything that is spent is named', () => {
  const spending = { usd: 6, tokens: 900, minutes: 91.234, attempts: 1 };
  expect(budgetState(spending, { usd: 5, tokens: 1000, minutes: 90 }, NO_DEFAULTS)).toEqual({
    level: 'spent',
    words: '$6.00 of $5.00, 91.23 of 90 minutes of agents',
    stops: true,
  });
});

test('the last attempt that was allowed may finish', () => {
  const spending = { ...NOTHING, attempts: 3 };
  expect(budgetState(spending, { attempts: 3 }, NO_DEFAULTS)).toEqual({
    level: 'spent',
    words: '3 of 3 attempts',
    stops: false,
  });
});

test("a convoy's own limit counts before the workspace's, and 0 is none", () => {
  const spending = { ...NOTHING, usd: 6, tokens: 10 };
  expect(budgetState(spending, {}, { usd: 5 }).level).toBe('spent');
  expect(budgetState(spending, { usd: 10 }, { usd: 5 }).level).toBe('free');
  expect(budgetState(spending, { usd: 0 }, { usd: 5 }).level).toBe('free');
  expect(hasLimits({ usd: 0 }, { usd: 5 })).toBe(false);
  expect(hasLimits({}, { usd: 5 })).toBe(true);
});

const attempt = (id: string, more: Partial<Attempt>): Attempt =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only what is counted is looked at
  ({
    id,
    status: 'done',
    cost: { usd: 0, tokens: 0 },
    startedAt: null,
    endedAt: null,
    ...more,
  }) as Attempt;

test('agents at work count with what they told and for the time they have run', () => {
  const attempts = [
    attempt('at-1', { cost: { usd: 1, tokens: 10 }, startedAt: 0, endedAt: 60_000 }),
    attempt('at-2', { status: 'running', startedAt: 60_000 }),
    attempt('at-3', { status: 'starting' }),
  ];
  const told = new Map([
    ['at-1', { usd: 99, tokens: 99 }],
    ['at-2', { usd: 0.5, tokens: 5 }],
  ]);
  expect(spendingOf(attempts, told, 180_000)).toEqual({
    usd: 1.5,
    tokens: 15,
    minutes: 3,
    attempts: 3,
  });
});

test('reviews count too: what is on record, and what the reviewer at work has told', () => {
  const approved: Review = {
    id: 'rv-1',
    convoy: 'cv-1',
    repo: 'main',
    change: null,
    head: 'h',
    base: 'b',
    tree: 't',
    status: 'approved',
    tries: 1,
    findings: [],
    reason: null,
    openedAt: 0,
    answeredAt: 1,
  };
  const told = new Map([
    ['rv-1-2', { usd: 0.5, tokens: 5 }],
    ['rv-2-1', { usd: 99, tokens: 99 }],
  ]);
  const reviews = [
    { ...approved, status: 'running', tries: 2, usd: 0.25, tokens: 20, ms: 60_000 } as const,
    // Told while it worked, and on record now.
    { ...approved, id: 'rv-2', usd: 1, tokens: 10 },
  ];
  expect(spendingOf([], told, 0, reviews)).toEqual({
    usd: 1.75,
    tokens: 35,
    minutes: 1,
    attempts: 0,
  });
});

test('spending more never frees a budget', () => {
  const order = ['free', 'near', 'spent'];
  const amount = fc.double({ min: 0, max: 1e6, noNaN: true });
  const spending = fc.record({
    usd: amount,
    tokens: amount,
    minutes: amount,
    attempts: fc.nat(50),
  });
  const limits = fc.record({ usd: amount, tokens: amount, minutes: amount, attempts: fc.nat(50) });
  fc.assert(
    fc.property(spending, spending, limits, (some, more, own) => {
      const sum = {
        usd: some.usd + more.usd,
        tokens: some.tokens + more.tokens,
        minutes: some.minutes + more.minutes,
        attempts: some.attempts + more.attempts,
      };
      const before = budgetState(some, own, {});
      const after = budgetState(sum, own, {});
      expect(order.indexOf(after.level)).toBeGreaterThanOrEqual(order.indexOf(before.level));
      expect(after.stops || !before.stops).toBe(true);
    }),
  );
});
