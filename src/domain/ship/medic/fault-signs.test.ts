import { expect, test } from 'vitest';
import type { Evidence, Probe } from './evidence.ts';
import { faultSigns } from './fault-signs.ts';

const quiet: Evidence = {
  lane: 'web',
  lanePath: '.',
  stage: 'load',
  command: 'node server.js',
  cwd: null,
  exit: null,
  timedOutMs: null,
  log: '',
  probes: [],
  port: null,
  resources: null,
  env: { needed: [], given: [] },
  changes: [],
  previous: null,
  ownedFiles: [],
};
const healthy: Probe = {
  path: '/',
  statuses: { '200': 200 },
  samples: 200,
  p50: 3,
  p95: 8,
  p99: 20,
  errorRate: 0,
  thresholds: { maxErrorRate: 0.05, maxP99Ms: 1000 },
};
const signs = (part: Partial<Evidence>): string[] => faultSigns({ ...quiet, ...part });
const probed = (part: Partial<Probe>): string[] => signs({ probes: [{ ...healthy, ...part }] });

test('a healthy service gives no sign', () => expect(probed({})).toEqual([]));

test('DC-20: one slow sample of sixty is no sign, a slow tail over many is', () => {
  expect(probed({ samples: 60, p99: 1400 })).toEqual([]);
  expect(probed({ samples: 60, p95: 1200, p99: 1400 })).toEqual(['slow /']);
  expect(probed({ samples: 400, p99: 1400 })).toEqual(['slow /']);
});

test('DC-18: nothing but 404 or 401 is a sign, some 404 among others is not', () => {
  expect(probed({ statuses: { '404': 200 } })).toEqual(['refused /']);
  expect(probed({ statuses: { '401': 200 } })).toEqual(['refused /']);
  expect(probed({ statuses: { '200': 150, '404': 50 } })).toEqual([]);
});

test('an error rate above the limit is a sign, one at the limit is not', () => {
  expect(probed({ errorRate: 0.06 })).toEqual(['errors /']);
  expect(probed({ errorRate: 0.05 })).toEqual([]);
});

test('a service that we stopped ourselves did not fail', () => {
  expect(signs({ exit: { code: null, signal: 'SIGTERM' } })).toEqual([]);
  expect(signs({ exit: { code: 143, signal: null } })).toEqual([]);
  expect(signs({ exit: { code: null, signal: 'SIGSEGV' } })).toEqual(['exit SIGSEGV']);
});

test('a service that ends with 0 before it answered did fail, a build that ends with 0 did not', () => {
  expect(signs({ stage: 'start', exit: { code: 0, signal: null } })).toEqual(['exit 0']);
  expect(signs({ stage: 'build', exit: { code: 0, signal: null } })).toEqual([]);
});

test('words of a dying process count only when nothing better is known', () => {
  const log = 'Traceback (most recent call last):\n';
  expect(signs({ log })).toEqual(['words']);
  expect(signs({ log, probes: [healthy] })).toEqual([]);
});
