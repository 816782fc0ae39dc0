import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Candidate, Tier } from './diagnosis.ts';
import { confidenceOf, rank } from './rank.ts';

const candidate = (part: Partial<Candidate>): Candidate => ({
  rule: 'r',
  tier: 'fault',
  score: 70,
  at: 0,
  subject: 's',
  rootCause: '',
  classification: 'code',
  owned: 'developer',
  fix: '',
  reproduction: '',
  evidence: [],
  ...part,
});

const anyCandidate = fc
  .record({
    tier: fc.constantFrom<Tier>('cause', 'fault', 'symptom'),
    score: fc.nat(100),
    at: fc.oneof(fc.nat(1000), fc.constant(Infinity)),
    subject: fc.string({ maxLength: 3 }),
  })
  .map(candidate);

const key = ({ tier, score, at, subject }: Candidate): unknown => [tier, score, at, subject];

test('the missing variable beats the crash that it causes', () => {
  const crash = candidate({ rule: 'crash', tier: 'fault', score: 88, at: 2 });
  const variable = candidate({ rule: 'env', tier: 'cause', score: 78, at: 9 });
  expect(rank([crash, variable])[0]?.rule).toBe('env');
});

test('of two alike, the earlier error wins', () => {
  const late = candidate({ rule: 'late', at: 50, score: 74 });
  const early = candidate({ rule: 'early', at: 5, score: 71 });
  expect(rank([late, early])[0]?.rule).toBe('early');
});

test('a clearly better founded one wins, even if it comes later', () => {
  const vague = candidate({ rule: 'vague', at: 1, score: 45 });
  const clear = candidate({ rule: 'clear', at: 90, score: 85 });
  expect(rank([vague, clear])[0]?.rule).toBe('clear');
});

test('the order does not depend on the order in which the rules spoke', () => {
  fc.assert(
    fc.property(fc.array(anyCandidate, { maxLength: 8 }), (all) => {
      expect(rank(all.toReversed()).map(key)).toEqual(rank(all).map(key));
    }),
  );
});

test('no symptom ever stands before a cause', () => {
  fc.assert(
    fc.property(fc.array(anyCandidate), (all) => {
      const order = rank(all).map(({ tier }) => ['cause', 'fault', 'symptom'].indexOf(tier));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }),
  );
});

test('confidence rises with agreement and falls with a rival', () => {
  const winner = candidate({ rule: 'a', tier: 'cause', score: 80, subject: 'x' });
  const friend = candidate({ rule: 'b', tier: 'fault', score: 70, subject: 'x' });
  const rival = candidate({ rule: 'c', tier: 'cause', score: 80, subject: 'y' });
  expect(confidenceOf(winner, [winner])).toBe('medium');
  expect(confidenceOf(winner, [winner, friend])).toBe('high');
  expect(confidenceOf({ ...winner, score: 70 }, [winner, rival])).toBe('low');
  expect(confidenceOf(candidate({ tier: 'symptom', score: 20 }), [])).toBe('low');
});
