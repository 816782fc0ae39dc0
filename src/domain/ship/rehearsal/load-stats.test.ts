import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { kindOf, loadStats, percentile } from './load-stats.ts';

const answers = (status: number, count: number, ms = 5) =>
  Array.from({ length: count }, () => ({ path: '/', status, ms }));

test('only 2xx and 3xx prove something; 5xx, 429 and silence are errors', () => {
  expect([200, 204, 302, 404, 401, 429, 500, 503, 0].map(kindOf)).toEqual([
    'good',
    'good',
    'good',
    'unproven',
    'unproven',
    'error',
    'error',
    'error',
    'error',
  ]);
});

test('a percentile is the nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => at + 1);
  expect([0.5, 0.95, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([
    50, 95, 99, 100,
  ]);
  expect(percentile([], 0.99)).toBe(0);
});

test('a percentile is one of the values and grows with its share', () => {
  const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(values, share, share, (unsorted, a, b) => {
      const ascending = unsorted.toSorted((x, y) => x - y);
      const [low, high] = [
        percentile(ascending, Math.min(a, b)),
        percentile(ascending, Math.max(a, b)),
      ];
      expect(ascending).toContain(low);
      expect(low).toBeLessThanOrEqual(high);
    }),
  );
});

test('requests without an answer are errors but have no latency', () => {
  const stats = loadStats([...answers(200, 9), ...answers(0, 1, 9999)], 10, 1000);
  expect(stats).toMatchObject({ errors: 1, errorRate: 0.1, max: 5, slow: 0, good: 9 });
  expect(stats.paths).toEqual([{ path: '/', samples: 10, p99: 5, statuses: { 200: 9, 0: 1 } }]);
});

test('arrivals that could not be sent count as slow, a few at the edges do not', () => {
  expect(loadStats(answers(200, 95), 100, 1000).slow).toBe(0);
  expect(loadStats(answers(200, 60), 100, 1000).slow).toBe(40);
});
