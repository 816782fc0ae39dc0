import { expect, test } from 'vitest';
import { compareReleases } from './compare.ts';

const stats = { p50: 10, p95: 20, p99: 40, errorRate: 0, samples: 100, rssBytes: 100 * 2 ** 20 };

test('only what grew by more than noise is worse', () => {
  expect(compareReleases(stats, { ...stats, p50: 14, p99: 55, errorRate: 0.005 }).worse).toEqual(
    [],
  );
  const now = { ...stats, p99: 100, errorRate: 0.02, rssBytes: 200 * 2 ** 20 };
  expect(compareReleases(stats, now).worse).toEqual([
    'p99 40 → 100 ms',
    'errors 0 % → 2 %',
    'memory 100 → 200 MiB',
  ]);
});

test('memory is compared only where both are known', () => {
  expect(compareReleases({ ...stats, rssBytes: null }, stats).rssBytes).toBeNull();
});
