import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSustained } from './sustained.ts';

test('DC-20 at one in a hundred it takes three slow samples of sixty, not one or two', () => {
  // P(X >= 2) = 0.12 and P(X >= 3) = 0.022 for 60 samples at 1 %.
  expect([1, 2, 3].map((slow) => isSustained(slow, 60, 0.01))).toEqual([false, false, true]);
});

test('one event never counts, however few the samples', () => {
  expect(isSustained(1, 1, 0.01)).toBe(false);
  expect(isSustained(2, 2, 0.01)).toBe(true);
});

test('more events never turn a yes into a no', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: 1, max: 400 }),
      fc.double({ min: 0.001, max: 0.5, noNaN: true }),
      (events, samples, share) => {
        fc.pre(events < samples);
        const [fewer, more] = [events, events + 1].map((n) => isSustained(n, samples, share));
        expect(Number(more)).toBeGreaterThanOrEqual(Number(fewer));
      },
    ),
  );
});

test('no more events than the share gives on average is never sustained', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), (samples) => {
      const events = Math.floor(samples * 0.01);
      expect(isSustained(events, samples, 0.01)).toBe(false);
    }),
  );
});
