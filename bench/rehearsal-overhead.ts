import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createRehearsal } from '../src/adapters/rehearsal/rehearse.ts';
import { searchPath, stepEnvironment } from '../src/domain/ship/rehearsal/step-environment.ts';
import { freePort } from '../src/adapters/rehearsal/sockets.ts';
import { median } from './lib/report.ts';

/** What a rehearsal costs beyond the service's own install, build and boot and the load asked for. */
const RUNS = 5;
const LOAD = { rate: 50, seconds: 1, warmupSeconds: 0.2 };
const SERVICE = resolve(import.meta.dirname, '../test/fixtures/services/hooks');

const ours: number[] = [];
const reference: number[] = [];
let isolation = '';
for (let at = 0; at < RUNS; at++) {
  reference.push(await byHand());
  const rehearsed = await rehearsal();
  ours.push(rehearsed.ms - (LOAD.seconds + LOAD.warmupSeconds) * 1000);
  isolation = rehearsed.isolation;
}
const overhead = median(ours) - median(reference);
console.log(
  JSON.stringify({
    name: 'rehearsal-overhead',
    ours: Math.round(overhead),
    reference: 1000,
    ratio: Math.round((overhead / 1000) * 100) / 100,
    unit: 'ms',
    rehearsalMs: Math.round(median(ours)),
    byHandMs: Math.round(median(reference)),
    isolation,
  }),
);

async function rehearsal(): Promise<{ ms: number; isolation: string }> {
  const report = await createRehearsal().run(
    {
      root: SERVICE,
      lane: {
        name: 'bench',
        path: '.',
        kind: 'backend',
        ecosystem: 'node',
        install: 'npm install',
        build: 'npm run build',
        start: 'node app.js',
        port: null,
        healthPath: '/',
        datastores: [],
      },
      env: {},
      thresholds: { maxErrorRate: 0.05, maxP99Ms: 1000 },
      load: LOAD,
      probePaths: [],
      previous: null,
      trust: { repository: true },
    },
    () => {},
    new AbortController().signal,
  );
  if (report.verdict.status !== 'healthy') throw new Error(JSON.stringify(report.verdict));
  return { ms: report.totalMs, isolation: report.isolation };
}

/** The same commands run by a person: copy, install, build, start, first answer, stop. */
async function byHand(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'convoy-bench-'));
  await cp(SERVICE, directory, { recursive: true });
  const port = await freePort();
  // The same variables as in a rehearsal: another Node or more certificates would be compared else.
  const env = stepEnvironment({
    phase: 'build',
    path: searchPath([], process.env['PATH'] ?? ''),
    home: directory,
    temp: tmpdir(),
    marker: 'bench',
    outside: process.env,
    explicit: {},
    injected: {},
    port,
  });
  const run = (...argv: string[]) =>
    spawn(argv[0] ?? '', argv.slice(1), { cwd: directory, env, stdio: 'ignore' });
  const from = performance.now();
  await ended(run('npm', 'install'));
  await ended(run('npm', 'run', 'build'));
  const service = run('node', 'app.js');
  while (!(await answers(port))) await new Promise((wake) => setTimeout(wake, 5));
  const ms = performance.now() - from;
  service.kill();
  await ended(service);
  await rm(directory, { recursive: true });
  return ms;
}

async function ended(child: ReturnType<typeof spawn>): Promise<void> {
  await new Promise((done) => child.once('exit', done));
}

async function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const call = request({ port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume();
      done(true);
    });
    call.on('error', () => done(false));
    call.end();
  });
}
