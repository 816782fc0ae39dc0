import { expect, test } from 'vitest';
import { chosenHealth, healthCandidates, loadPaths } from './probe-plan.ts';

const answered = (statuses: Readonly<Record<string, number | null>>) =>
  Object.entries(statuses).map(([path, status]) => ({ path, status, ms: 1 }));

test("the lane's own health path is asked first and nothing twice", () => {
  const paths = healthCandidates('health', ['/orders', '/']);
  expect(paths).toEqual(['/health', '/orders', '/', '/healthz', '/api/health']);
});

test('DC-28 the first path that answers well is the health path', () => {
  const results = answered({ '/up': 404, '/health': null, '/healthz': 204, '/': 200 });
  expect(chosenHealth('/up', results)).toEqual({ path: '/healthz', status: 204 });
  expect(chosenHealth(null, answered({ '/': 404 }))).toBeNull();
});

test('an error where health is told is not hidden by a friendly answer elsewhere', () => {
  expect(chosenHealth('/up', answered({ '/up': 500, '/': 200 }))).toEqual({
    path: '/up',
    status: 500,
  });
  expect(chosenHealth(null, answered({ '/health': 503, '/': 200 }))?.status).toBe(503);
  expect(chosenHealth(null, answered({ '/health': 500, '/': 200 }))?.path).toBe('/');
});

test('without paths to load the health path is loaded', () => {
  expect(loadPaths([], '/health')).toEqual(['/health']);
  expect(loadPaths([], null)).toEqual(['/']);
  expect(loadPaths(['orders', '/orders', '/cart'], '/health')).toEqual(['/orders', '/cart']);
});
