import { expect, test } from 'vitest';
import type { AppMetrics } from './app-metrics.ts';
import { judgeService } from './judge.ts';
import { loadStats } from './load-stats.ts';

const limits = { maxErrorRate: 0.05, maxP99Ms: 1000 };
const some = (count: number, status = 200, ms = 5, path = '/') =>
  Array.from({ length: count }, () => ({ path, status, ms }));

function judge(
  samples: ReturnType<typeof some>,
  more: {
    app?: Partial<AppMetrics>;
    health?: { path: string; status: number };
    died?: string;
  } = {},
) {
  const app =
    more.app === undefined
      ? null
      : {
          source: 'json' as const,
          errorRate: null,
          p99: null,
          requests: null,
          slow: null,
          ...more.app,
        };
  return judgeService(
    {
      load: loadStats(samples, samples.length, limits.maxP99Ms),
      app,
      health: more.health ?? null,
      died: more.died ?? null,
    },
    limits,
  );
}

test('DC-18 answers that prove nothing are never healthy', () => {
  expect(judge(some(60, 404)).status).toBe('no-evidence');
  expect(judge(some(60, 401)).status).toBe('no-evidence');
  expect(judge([...some(30, 404), ...some(30, 401)])).toMatchObject({
    why: expect.stringContaining('401 or 404'),
  });
});

test('too few answers are no evidence', () => {
  expect(judge(some(9)).status).toBe('no-evidence');
  expect(judge(some(10)).status).toBe('healthy');
});

test('DC-20 one slow sample of sixty is healthy, three are a breach', () => {
  expect(judge([...some(59), ...some(1, 200, 5000)]).status).toBe('healthy');
  expect(judge([...some(57), ...some(3, 200, 5000)])).toMatchObject({
    status: 'breach',
    breaches: [{ what: 'p99', limit: 1000, measured: 5000, samples: 60 }],
  });
});

test('errors beyond the limit are a breach, one single error is not', () => {
  expect(judge([...some(11), ...some(1, 500)]).status).toBe('healthy');
  expect(judge([...some(56), ...some(4, 500)])).toMatchObject({
    breaches: [{ what: 'error-rate', limit: 0.05, samples: 60 }],
  });
  expect(judge(some(60, 500)).status).toBe('breach');
});

test('DC-19 what the application says about itself counts when it is worse', () => {
  expect(judge(some(60), { app: { errorRate: 0.2 } })).toMatchObject({
    breaches: [{ what: 'error-rate', source: 'json', measured: 0.2 }],
  });
  expect(judge(some(60), { app: { p99: 4000 } })).toMatchObject({
    breaches: [{ what: 'p99', source: 'json', measured: 4000 }],
  });
  expect(judge([...some(50), ...some(10, 500)], { app: { errorRate: 0 } }).status).toBe('breach');
});

test('DC-20 one slow request in a histogram is no breach either', () => {
  const app = { p99: 4000, requests: 60, slow: 1 };
  expect(judge(some(60), { app }).status).toBe('healthy');
  expect(judge(some(60), { app: { ...app, slow: 3 } }).status).toBe('breach');
});

test('an unwell health path and a crash are breaches although all requests went well', () => {
  expect(judge(some(60), { health: { path: '/health', status: 503 } }).status).toBe('breach');
  expect(judge(some(60), { health: { path: '/health', status: 200 } }).status).toBe('healthy');
  expect(judge(some(60), { died: 'exit 9' }).status).toBe('breach');
});
