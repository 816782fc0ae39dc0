import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { localExecutor } from '../../src/adapters/executor/local.ts';
import { startOf } from '../../src/adapters/executor/process-table.ts';
import {
  executionId,
  type ExecutionId,
  type ExecutionSpec,
  type Executor,
} from '../../src/ports/executor.ts';
import { wrappersOf } from './wrapper-process.ts';

let place: string;
let runs: string;
let executor: Executor;
let made: ExecutionId[];

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'convoy-reuse-'));
  runs = join(place, 'runs');
  executor = localExecutor({ directory: runs, node: process.execPath });
  made = [];
});
afterEach(async () => {
  for (const id of made) await executor.stop(id, { graceMs: 0 });
  await rm(place, { recursive: true });
});

test('one wrapper runs one execution after the other, and nothing of the first reaches the second', async () => {
  const first = await start('cat; pwd; env; echo one', {
    env: { PATH: '/usr/bin:/bin', FIRST: 'only' },
    stdin: 'input of the first\n',
    cwd: '/',
  });
  await executor.exit(first);
  const second = await start('cat; pwd; env | grep -v ^_ | sort');
  await executor.exit(second);
  expect(await wrapperOf(second)).toBe(await wrapperOf(first));
  expect(await outputOf(first)).toMatch(/^input of the first\n\/\n[^]*FIRST=only\n[^]*one\n$/);
  expect(await outputOf(second)).toBe(
    `${place}\nCONVOY_EXECUTION=${second}\nPATH=/usr/bin:/bin\nPWD=${place}\n`,
  );
});

test('as many wrappers are kept as were busy together, and used again together', async () => {
  const first = await together();
  expect(first).toHaveLength(5);
  expect(await together()).toEqual(first);
});

test('after some rest no wrapper is left but the one that has work', async () => {
  const long = await start('while [ ! -e go ]; do sleep 0.02; done; echo through');
  const short = await Promise.all([start('true'), start('true')]);
  for (const id of short) await executor.exit(id);
  const busy = await wrapperOf(long);
  await vi.waitUntil(async () => String(await wrappersOf(runs)) === String(busy), patience);
  await writeFile(join(place, 'go'), '');
  expect(await executor.exit(long)).toMatchObject({ how: { kind: 'code', code: 0 } });
  expect(await outputOf(long)).toBe('through\n');
  await vi.waitUntil(async () => (await wrappersOf(runs)).length === 0, patience);
}, 40_000);

test('an engine that is killed leaves a reused wrapper to finish its run, record it and go', async () => {
  const [id, before] = [executionId('run'), executionId('run-0')];
  made.push(id);
  const engine = await startEngine('while [ ! -e go ]; do sleep 0.02; done; echo last; exit 6');
  const wrapper = await wrapperOf(id);
  expect(await wrapperOf(before)).toBe(wrapper);
  engine.kill('SIGKILL');
  await once(engine, 'exit');
  expect(await executor.find(id)).toMatchObject({ status: 'running' });
  expect(await executor.find(before)).toMatchObject({ how: { kind: 'code', code: 3 } });
  await writeFile(join(place, 'go'), '');
  expect(await executor.exit(id)).toMatchObject({
    how: { kind: 'code', code: 6 },
    output: { bytes: 5, dropped: 0 },
  });
  await vi.waitUntil(async () => !(await isThere(wrapper)), patience);
});

test('a stray that holds the pipe of an ended run writes into no log, neither the old nor the next', async () => {
  const stray = join(place, 'stray.sh');
  await writeFile(
    stray,
    'trap "" PIPE; echo here > stray; while [ ! -e go ]; do sleep 0.02; done; echo LATE; echo $? > tried',
  );
  await chmod(stray, 0o755);
  // It hides from every search: another session, no marker, no parent of ours.
  const first = await start(
    "env -i PATH=/usr/bin:/bin setsid sh -c 'sh stray.sh &' & while [ ! -s stray ]; do sleep 0.02; done; echo one",
  );
  await executor.exit(first);
  const second = await start('echo two; while [ ! -s tried ]; do sleep 0.02; done; echo three');
  expect(await wrapperOf(second)).toBe(await wrapperOf(first));
  await writeFile(join(place, 'go'), '');
  expect(await executor.exit(second)).toMatchObject({ output: { bytes: 10 } });
  expect(await readFile(join(place, 'tried'), 'utf8')).not.toBe('0\n');
  expect(await outputOf(first)).toBe('one\n');
  expect(await outputOf(second)).toBe('two\nthree\n');
});

test('what goes wrong in one run ends its wrapper; that run is lost, the next has another', async () => {
  const first = await start('true');
  await executor.exit(first);
  const second = await start(`rm '${join(runs, 'run-2')}/exit.tmp'`);
  const wrapper = await wrapperOf(second);
  expect(wrapper).toBe(await wrapperOf(first));
  expect(await executor.exit(second)).toMatchObject({ status: 'lost' });
  expect(await isThere(wrapper)).toBe(false);
  expect(await readFile(join(runs, second, 'wrapper.log'), 'utf8')).toContain('ENOENT');
  const third = await start('exit 4');
  expect(await executor.exit(third)).toMatchObject({ how: { kind: 'code', code: 4 } });
  expect(await wrapperOf(third)).not.toBe(wrapper);
  expect(await executor.find(first)).toMatchObject({ how: { kind: 'code', code: 0 } });
});

test('a reused wrapper that is killed loses the run it has and no other', async () => {
  const first = await start('exit 3');
  await executor.exit(first);
  const second = await start('while [ ! -e go ]; do sleep 0.02; done');
  const wrapper = await wrapperOf(second);
  expect(wrapper).toBe(await wrapperOf(first));
  process.kill(wrapper, 'SIGKILL');
  await vi.waitUntil(async () => !(await isThere(wrapper)), patience);
  expect(await executor.find(second)).toMatchObject({ status: 'running' });
  await writeFile(join(place, 'go'), '');
  expect(await executor.exit(second)).toMatchObject({ status: 'lost' });
  expect(await executor.find(first)).toMatchObject({ how: { kind: 'code', code: 3 } });
  const third = await start('exit 5');
  expect(await executor.exit(third)).toMatchObject({ how: { kind: 'code', code: 5 } });
});

test('a wrapper that is killed between two runs has lost none, and the next run has another', async () => {
  const first = await start('exit 3');
  const end = await executor.exit(first);
  const wrapper = await wrapperOf(first);
  process.kill(wrapper, 'SIGKILL');
  // Not waited for: the next start must find out for itself.
  const second = await start('exit 5');
  expect(await executor.exit(second)).toMatchObject({ how: { kind: 'code', code: 5 } });
  expect(await wrapperOf(second)).not.toBe(wrapper);
  expect(await executor.find(first)).toEqual(end);
  expect(await executor.exit(first)).toEqual(end);
});

test('an ended run is not called running for the sake of its wrapper, and stopping it spares the next', async () => {
  const missing = await start('', { argv: ['no-such-program'] });
  const first = await start('exit 3');
  await executor.exit(first);
  const second = await start('while [ ! -e go ]; do sleep 0.02; done; exit 8');
  expect(await wrapperOf(second)).toBe(await wrapperOf(first));
  const began = performance.now();
  for (const id of [missing, first]) {
    expect(await executor.find(id)).toMatchObject({ status: 'exited' });
    expect(await executor.stop(id, { graceMs: 0 })).toMatchObject({ killed: 0, left: 0 });
  }
  expect(performance.now() - began).toBeLessThan(2500);
  expect(await executor.find(second)).toMatchObject({ status: 'running' });
  await writeFile(join(place, 'go'), '');
  expect(await executor.exit(second)).toMatchObject({ how: { kind: 'code', code: 8 } });
});

test('signals to the group do not end a wrapper that together', async () => {
  const first = await start('true');
  await executor.exit(first);
  const wrapper = await wrapperOf(first);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(wrapper, signal);
  const second = await start('true');
  expect(await executor.exit(second)).toMatchObject({ how: { kind: 'code', code: 0 } });
  expect(await wrapperOf(second)).toBe(wrapper);
});

test('a wrapper that does not answer is ended when its run is stopped, and gets no other', async () => {
  const first = await start('exec sleep 71');
  const wrapper = await wrapperOf(first);
  process.kill(wrapper, 'SIGSTOP');
  expect(await executor.stop(first, { graceMs: 0 })).toMatchObject({
    state: { status: 'lost' },
    left: 0,
  });
  const second = await start('exit 5');
  expect(await executor.exit(second)).toMatchObject({ how: { kind: 'code', code: 5 } });
  expect(await wrapperOf(second)).not.toBe(wrapper);
  expect(await isThere(wrapper)).toBe(false);
});

test('200 quick runs in a row leave no process, and open nothing more in their wrapper', async () => {
  const open: number[] = [];
  const wrappers = new Set<number>();
  for (let n = 0; n < 200; n += 1) {
    const id = await start('cat; echo $$; exit 7', { stdin: 'x' });
    expect(await executor.exit(id)).toMatchObject({ how: { kind: 'code', code: 7 } });
    const wrapper = await wrapperOf(id);
    wrappers.add(wrapper);
    if (n === 20 || n === 199) open.push((await readdir(`/proc/${wrapper}/fd`)).length);
  }
  expect(wrappers.size).toBe(1);
  expect(open[1]).toBe(open[0]);
  expect(await marked('run-')).toEqual([]);
  expect((await wrappersOf(runs)).length).toBeLessThanOrEqual(3);
}, 60_000);

const patience = { timeout: 20_000, interval: 50 };

async function start(source: string, more: Partial<ExecutionSpec> = {}): Promise<ExecutionId> {
  const id = executionId(`run-${made.length + 1}`);
  made.push(id);
  await executor.start({
    id,
    argv: ['/bin/sh', '-c', source],
    cwd: place,
    env: { PATH: '/usr/bin:/bin' },
    ...more,
  });
  return id;
}

/** The wrappers of five runs that are under way at the same time. */
async function together(): Promise<number[]> {
  await rm(join(place, 'go'), { force: true });
  const ids = await Promise.all(
    Array.from({ length: 5 }, () => start('while [ ! -e go ]; do sleep 0.02; done')),
  );
  const wrappers = await Promise.all(ids.map(wrapperOf));
  await writeFile(join(place, 'go'), '');
  for (const id of ids) await executor.exit(id);
  return [...new Set(wrappers)].toSorted((a, b) => a - b);
}

/** The number of the wrapper that claimed a run. */
async function wrapperOf(id: ExecutionId): Promise<number> {
  return JSON.parse(await readFile(join(runs, id, 'claim.json'), 'utf8')).pid;
}

async function outputOf(id: ExecutionId): Promise<string> {
  return Buffer.from((await executor.tail(id, 0)).bytes).toString();
}

async function startEngine(source: string): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'engine-process.ts');
  const engine = spawn(process.execPath, [script, runs, 'run', place, source, 'exit 3'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void engine.kill('SIGKILL'));
  await once(engine.stdout, 'data');
  return engine;
}

/** Living processes of executions whose id begins so and whose directory is ours. */
async function marked(prefix: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return text.includes(`CONVOY_EXECUTION=${prefix}`) && text.includes(place) ? [pid] : [];
    }),
  );
  return found.flat();
}

/** Alive, and not merely a corpse that nobody has collected yet. */
const isThere = async (pid: number): Promise<boolean> => (await startOf(pid)) !== null;
