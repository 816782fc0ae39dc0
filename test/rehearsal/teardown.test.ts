import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  eventually,
  isAlive,
  leftovers,
  rehearse,
  temporaryDirectory,
} from './rehearse-fixture.ts';

describe.each([
  ['the best isolation', {}],
  ['a process group only', { isolation: 'process group only' }],
] as const)('with %s', (_, how) => {
  test.each(['marked', 'unmarked'])(
    'DC-15 a %s child in its own session is ended',
    async (STRAY) => {
      const { report, base, output } = await rehearse('daemon', { env: { STRAY }, ...how });
      expect(report.verdict.status).toBe('healthy');
      expect(report.teardown.left).toEqual([]);
      // Otherwise the number is of a namespace that is gone as a whole.
      const stray = Number(/stray (\d+)/.exec(output)?.[1]);
      expect(report.isolation === 'process group only' && isAlive(stray)).toBe(false);
      expect(stray).toBeGreaterThan(1);
      expect(leftovers(base)).toEqual([]);
    },
  );

  test('DC-15 a service that goes into the background is judged and ended', async () => {
    const { report, base } = await rehearse('background', {
      lane: { start: 'sh start.sh' },
      ...how,
    });
    expect(report.verdict.status).toBe('healthy');
    expect(report.steps.find(({ step }) => step === 'start')?.outcome).toBe('done');
    expect(leftovers(base)).toEqual([]);
  });

  test('DC-15 a service that ignores SIGTERM is killed after the grace, and that is said', async () => {
    const { report, base } = await rehearse('stubborn', { timeouts: { graceMs: 200 }, ...how });
    expect(report.verdict.status).toBe('healthy');
    expect(report.teardown.endedWhenAsked).toBe(false);
    expect(report.teardown.killed).toBeGreaterThanOrEqual(1);
    expect(report.notes.join()).toContain('SIGTERM');
    expect(leftovers(base)).toEqual([]);
  });

  test.each([
    ['daemon', {}],
    ['healthy', { lane: { datastores: ['postgres'] } }],
    ['slow', { trust: { repository: true, network: 'blocked' } }],
  ])(
    'DC-15 kill -9 of the rehearsing program ends %s and removes its copy',
    async (service, what) => {
      const base = temporaryDirectory();
      const { child, until } = rehearsingProcess(base, service, {
        ...what,
        ...how,
        load: { rate: 20, seconds: 60, warmupSeconds: 0 },
      });
      const ready = await until('ready');
      expect(leftovers(base).length).toBeGreaterThan(1);
      child.kill('SIGKILL');
      await eventually(() => leftovers(base).length === 0);
      await expect(fetch(String(ready['url']))).rejects.toThrow('fetch failed');
    },
  );
});

test.each(['sh -c "node app.js; true"', 'bash -c "cd . && node app.js | cat"'])(
  'DC-15 a compound command leaves nothing: %s',
  async (start) => {
    const { report, base } = await rehearse('healthy', { lane: { start } });
    expect(report.verdict.status).toBe('healthy');
    expect(leftovers(base)).toEqual([]);
  },
);

test.each(['install', 'start', 'load'] as const)(
  'DC-45 a stop during %s is answered at once with nothing left',
  async (step) => {
    const stop = new AbortController();
    let askedAt = 0;
    const { report, base } = await rehearse('healthy', {
      lane: { install: step === 'install' ? 'sleep 60' : null },
      load: { rate: 50, seconds: 30, warmupSeconds: 0 },
      signal: stop.signal,
      onEvent: (event) => {
        if (event.kind !== 'step-started' || event.step !== step) return;
        askedAt = performance.now();
        stop.abort();
      },
    });
    expect(report.verdict).toMatchObject({ status: 'stopped', step });
    expect(performance.now() - askedAt).toBeLessThan(3_000);
    expect(leftovers(base)).toEqual([]);
  },
);

test('DC-16 DC-45 a program that is interrupted cleans up and ends by itself', async () => {
  const base = temporaryDirectory();
  const { child, until } = rehearsingProcess(base, 'healthy', {
    load: { rate: 20, seconds: 60, warmupSeconds: 0 },
  });
  await until('ready');
  child.kill('SIGINT');
  expect(await until('report')).toMatchObject({ verdict: { status: 'stopped' } });
  const reported = performance.now();
  await new Promise((ended) => child.once('exit', ended));
  expect(performance.now() - reported).toBeLessThan(20_000);
  expect(leftovers(base)).toEqual([]);
});

test('what a rehearsal left whose watchdog was killed too is cleared by the next one', async () => {
  const base = temporaryDirectory();
  const abandoned = join(base, 'convoy-rehearsal-0123456789abcdef');
  mkdirSync(join(abandoned, 'tree'), { recursive: true });
  writeFileSync(join(abandoned, 'owner'), `${process.pid} 1`);
  const stray = spawn('sleep', ['1000'], { cwd: join(abandoned, 'tree'), stdio: 'ignore' });
  const ended = new Promise((resolveEnd) => stray.once('exit', resolveEnd));
  const { report } = await rehearse('crash', { base });
  await ended;
  expect(report.verdict.status).toBe('failed');
  expect(existsSync(abandoned)).toBe(false);
  expect(readdirSync(base)).toEqual([]);
});

type Line = Readonly<Record<string, unknown>>;

function rehearsingProcess(
  base: string,
  service: string,
  overrides: object,
): { child: ChildProcess; until: (kind: string) => Promise<Line> } {
  const program = resolve('test/rehearsal/rehearsing-process.ts');
  const child = spawn(process.execPath, [program, base, service, JSON.stringify(overrides)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  async function until(kind: string): Promise<Line> {
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the program ended before ${kind}`);
      const line = JSON.parse(value) as Line;
      if (line['kind'] === kind) return line;
    }
  }
  return { child, until };
}
