import { expect, test } from 'vitest';
import { leftovers, rehearse } from './rehearse-fixture.ts';

const worker = { kind: 'worker', start: 'node worker.js' } as const;

test('DC-24 a worker that lives and says so is healthy without HTTP', async () => {
  const { report, base } = await rehearse('worker', { lane: worker });
  expect(report.verdict).toMatchObject({ status: 'healthy' });
  expect(report.verdict).toHaveProperty('why', expect.stringContaining('worker started'));
  expect(report.readiness).toBeNull();
  expect(leftovers(base)).toEqual([]);
});

test('DC-24 a heartbeat has to beat', async () => {
  const beating = await rehearse('worker', {
    lane: { ...worker, worker: { markers: ['worker started'], heartbeat: 'beat', mayEnd: false } },
  });
  expect(beating.report.verdict.status).toBe('healthy');
  const dead = await rehearse('worker', {
    lane: { ...worker, worker: { markers: [], heartbeat: 'pulse', mayEnd: false } },
    timeouts: { readyMs: 1_200 },
  });
  expect(dead.report.verdict).toMatchObject({
    status: 'breach',
    breaches: [{ what: 'log-marker' }],
  });
});

test('DC-24 a worker that says nothing gives no evidence', async () => {
  const { report } = await rehearse('worker', {
    lane: { ...worker, start: 'node silent.js' },
    timeouts: { readyMs: 1_200 },
  });
  expect(report.verdict.status).toBe('no-evidence');
});

test('DC-24 a worker that ends has failed, unless ending is its job', async () => {
  const ended = await rehearse('worker', { lane: { ...worker, start: 'echo worker ready' } });
  expect(ended.report.verdict).toMatchObject({ status: 'failed', step: 'start', exit: 0 });
  const job = await rehearse('worker', {
    lane: {
      ...worker,
      start: 'echo sent 3 letters',
      worker: { markers: ['sent 3'], heartbeat: null, mayEnd: true },
    },
  });
  expect(job.report.verdict.status).toBe('healthy');
});
