import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { leftovers, rehearse } from './rehearse-fixture.ts';

test('DC-15 a healthy service is measured and leaves no process, port or file', async () => {
  const { report, base, events } = await rehearse('healthy', { lane: { healthPath: '/health' } });
  expect(report.verdict.status).toBe('healthy');
  expect(report.load).toMatchObject({ samples: 60, good: 60, errors: 0 });
  expect(report.usage?.peakRssBytes).toBeGreaterThan(10 * 1024 * 1024);
  expect(report.teardown).toEqual({ endedWhenAsked: true, killed: 0, left: [] });
  expect(leftovers(base)).toEqual([]);
  await expect(fetch(report.readiness?.url ?? '')).rejects.toThrow('fetch failed');
  expect(events.at(-1)?.kind).toBe('judged');
});

test('DC-28 the health path that was seen to answer is the one that is reported', async () => {
  const { report } = await rehearse('healthy', { lane: { healthPath: '/status' } });
  expect(report.probes).toContainEqual(expect.objectContaining({ path: '/status', status: 404 }));
  expect(report.healthPath).toBe('/health');
});

test.each(['404', '401'])(
  'DC-18 a service that answers only %s gives no evidence',
  async (ANSWER) => {
    const { report } = await rehearse('all-404', { env: { ANSWER } });
    expect(report.verdict).toMatchObject({ status: 'no-evidence' });
    expect(report.verdict).toHaveProperty('why', expect.stringContaining(ANSWER));
    expect(report.healthPath).toBeNull();
  },
);

test('DC-20 one slow answer of sixty is no breach', async () => {
  const { report } = await rehearse('slow', {
    probePaths: ['/work'],
    env: { SLOW_EVERY: '40', SLOW_ONCE: '1', SLOW_MS: '1200' },
    thresholds: { maxErrorRate: 0.05, maxP99Ms: 1_000 },
  });
  expect(report.load?.slow).toBe(1);
  expect(report.load?.max).toBeGreaterThanOrEqual(1_200);
  expect(report.verdict.status).toBe('healthy');
});

test('DC-20 a path that stays slow is a breach with its numbers', async () => {
  const { report } = await rehearse('slow', {
    probePaths: ['/work'],
    env: { SLOW_EVERY: '5', SLOW_MS: '400' },
    thresholds: { maxErrorRate: 0.05, maxP99Ms: 250 },
  });
  expect(report.verdict).toMatchObject({
    status: 'breach',
    breaches: [{ what: 'p99', source: 'probe', limit: 250, samples: 60 }],
  });
  expect(report.load?.p99).toBeGreaterThanOrEqual(400);
});

// A machine with much else to do may let it miss a connection, which comes again after a second.
test(
  'a server with one thread and without keep-alive is not called slow for it',
  { retry: 3 },
  async () => {
    const { report } = await rehearse('python-single', {
      lane: { start: 'python3 app.py', ecosystem: 'python' },
    });
    expect(report.load).toMatchObject({ good: 60, slow: 0 });
    expect(report.verdict.status).toBe('healthy');
  },
);

test('a health path that answers 503 is a breach although the front page is fine', async () => {
  const { report } = await rehearse('unwell', {
    lane: { healthPath: '/health' },
    timeouts: { readyMs: 800, graceMs: 500 },
  });
  expect(report.verdict).toMatchObject({ status: 'breach' });
  expect(report.verdict).toHaveProperty(
    'breaches',
    expect.arrayContaining([expect.objectContaining({ what: 'health', measured: 503 })]),
  );
  expect(report.healthPath).toBeNull();
});

test('a crash at the start is a failure with exit code and output', async () => {
  const { report, base } = await rehearse('crash');
  expect(report.verdict).toMatchObject({ status: 'failed', step: 'start', exit: 3 });
  expect(report.verdict).toHaveProperty('logTail', 'Error: cannot read the settings\n');
  expect(leftovers(base)).toEqual([]);
});

test('a crash under load is a breach', async () => {
  const { report } = await rehearse('crash-under-load');
  expect(report.verdict.status).toBe('breach');
  expect(report.verdict).toHaveProperty(
    'breaches',
    expect.arrayContaining([expect.objectContaining({ what: 'crash' })]),
  );
});

test('a service that ignores PORT is found where it listens and the mismatch is said', async () => {
  const { report } = await rehearse('port-ignored');
  expect(report.verdict.status).toBe('healthy');
  expect(report.readiness?.portMismatch).toBe(true);
  expect(report.readiness?.port).not.toBe(report.readiness?.askedPort);
  expect(report.notes.join()).toContain('ignores PORT');
});

test.each([
  ['ends', {}],
  ['stays without listening', { STAY: '1' }],
])('a foreign listener is an error when the service %s', async (_, env) => {
  const foreign = createServer((_request, response) => response.end('not yours'));
  await new Promise<void>((ready) => foreign.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void foreign.close());
  const { port } = foreign.address() as AddressInfo;
  const { report } = await rehearse('port-ignored', {
    lane: { port },
    env: { ...env, FIXED_PORT: String(port) },
    timeouts: { readyMs: 1_000, graceMs: 500 },
  });
  expect(report.verdict).toMatchObject({ status: 'errored', step: 'start' });
  expect(report.verdict).toHaveProperty('why', expect.stringContaining(`port ${port}`));
});

test('DC-19 the worst of probe and application metrics counts', async () => {
  const { report } = await rehearse('metrics', { env: { METRICS: 'bad' } });
  expect(report.load?.errors).toBe(0);
  expect(report.app).toMatchObject({ source: 'prometheus', errorRate: 0.5 });
  expect(report.verdict).toMatchObject({
    status: 'breach',
    breaches: [
      { what: 'error-rate', source: 'prometheus', measured: 0.5 },
      { what: 'p99', source: 'prometheus' },
    ],
  });
});

test('DC-19 a JSON page without known keys is ignored, one with known keys counts', async () => {
  const blob = await rehearse('metrics', { env: { METRICS: 'blob' } });
  expect(blob.report.app).toBeNull();
  expect(blob.report.verdict.status).toBe('healthy');
  const known = await rehearse('metrics', { env: { METRICS: 'json' } });
  expect(known.report.verdict).toMatchObject({
    status: 'breach',
    breaches: [{ what: 'p99', source: 'json', measured: 9000 }],
  });
});

test('a release is compared with the one before', async () => {
  const previous = { p50: 1, p95: 1, p99: 1, errorRate: 0, samples: 60, rssBytes: 1 };
  const { report } = await rehearse('slow', {
    probePaths: ['/work'],
    env: { SLOW_EVERY: '2', SLOW_MS: '100' },
    previous,
  });
  expect(report.verdict.status).toBe('healthy');
  expect(report.comparison?.worse.join()).toMatch(/p99 1 → \d{3} ms/);
});

test('a static site without a start command is served and probed', async () => {
  const { report } = await rehearse('static', {
    lane: { kind: 'frontend', ecosystem: 'static', start: null, output: 'site' },
  });
  expect(report.verdict.status).toBe('healthy');
  expect(report.healthPath).toBe('/');
});

test('a lane with nothing to start proves nothing', async () => {
  const { report } = await rehearse('healthy', { lane: { start: null } });
  expect(report.verdict.status).toBe('no-evidence');
});
