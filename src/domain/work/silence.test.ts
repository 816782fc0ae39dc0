import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SILENCE_TIERS, silenceDueMs, silenceTier, type SilenceTier } from './silence.ts';

const MINUTE = 60_000;
const LIMIT = 120 * MINUTE;

test.each([
  [14, null],
  [16, 'warn'],
  [59, 'warn'],
  [61, 'escalate'],
  [119, 'escalate'],
  [121, 'stop'],
])('KG-99 silent for %i of 120 minutes: %s', (minutes, tier) => {
  expect(silenceTier(minutes * MINUTE, LIMIT, [])).toBe(tier);
});

test('KG-99 however often it is looked at, each step is taken once and in order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(200)), (looks) => {
      const taken: SilenceTier[] = [];
      for (const minutes of looks.toSorted((a, b) => a - b)) {
        const tier = silenceTier(minutes * MINUTE, LIMIT, taken);
        if (tier !== null) taken.push(tier);
      }
      expect(new Set(taken).size).toBe(taken.length);
      expect(taken).toEqual(SILENCE_TIERS.filter((tier) => taken.includes(tier)));
    }),
  );
});

test.each([
  [[], 15],
  [['warn'], 60],
  [['escalate'], 120],
  [['warn', 'escalate', 'stop'], 120],
] as [SilenceTier[], number][])('after %j the next step is due at %i minutes', (taken, minutes) => {
  expect(silenceDueMs(LIMIT, taken)).toBe(minutes * MINUTE);
});
