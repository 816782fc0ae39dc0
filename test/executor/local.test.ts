import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, readFile, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { localExecutor } from '../../src/adapters/executor/local.ts';
import { startOf } from '../../src/adapters/executor/process-table.ts';
import { executionId, type ExecutionSpec, type Executor } from '../../src/ports/executor.ts';
import { bareWrapper, messageFor, wrappersOf } from './wrapper-process.ts';

let place: string;
let executor: Executor;
const run = executionId('run');
const runDir = (): string => join(place, 'runs', run);
const newExecutor = (): Executor =>
  localExecutor({ directory: join(place, 'runs'), node: process.execPath });

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'convoy-local-'));
  executor = newExecutor();
});
afterEach(async () => {
  await executor.stop(run, { graceMs: 0 });
  await rm(place, { recursive: true });
});

const spec = (source: string, more: Partial<ExecutionSpec> = {}): ExecutionSpec => ({
  id: run,
  argv: ['/bin/sh', '-c', source],
  cwd: place,
  env: { PATH: '/usr/bin:/bin' },
  ...more,
});

test('an execution survives the death of its engine; a later engine finds, reads and stops it', async () => {
  const engine = await startEngine('echo alive; exec sleep 60');
  await kill(engine);
  const later = newExecutor();
  const state = await later.find(run);
  expect(state).toMatchObject({ status: 'running' });
  if (state.status !== 'running') return;
  expect(await until(later, 'alive')).toContain('alive');
  expect(await isThere(state.pid)).toBe(true);
  const stopped = await later.stop(run, { graceMs: 5000 });
  expect(stopped).toMatchObject({
    state: { status: 'exited', how: { kind: 'signal', signal: 'SIGTERM' } },
  });
  expect(await isThere(state.pid)).toBe(false);
});

test('the exit code is recorded though the engine was dead when the program ended', async () => {
  const engine = await startEngine('while [ ! -e go ]; do sleep 0.02; done; echo last; exit 42');
  await kill(engine);
  await writeFile(join(place, 'go'), '');
  expect(await newExecutor().exit(run)).toMatchObject({
    status: 'exited',
    how: { kind: 'code', code: 42 },
    output: { bytes: 5, dropped: 0 },
  });
});

test('a flood of 200 MB takes no more than 64 MB of disk, little memory and little time', async () => {
  const began = performance.now();
  await executor.start(spec('head -c 200000000 /dev/zero; echo THE END; exec sleep 60'));
  await untilFile(() => tailOf(executor), 'THE END');
  expect(performance.now() - began).toBeLessThan(20_000);
  const { wrapper } = JSON.parse(await readFile(join(runDir(), 'pid.json'), 'utf8'));
  const status = await readFile(`/proc/${wrapper.pid}/status`, 'utf8').catch(() => 'VmHWM: 0');
  expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(150_000);
  await executor.stop(run, { graceMs: 1000 });
  expect(await sizeOf(runDir())).toBeLessThanOrEqual(64 * 1024 * 1024 + 16_384);
  const end = await executor.exit(run);
  expect(end).toMatchObject({ output: { bytes: 200_000_008 } });
}, 60_000);

test('children that leave the group and the session are stopped with the rest', async () => {
  await executor.start(
    spec(
      'setsid sh -c \'trap "" TERM; echo $$ > stray; sleep 61; sleep 61\' & ' +
        'while [ ! -s stray ]; do sleep 0.02; done; echo ready; sleep 62',
    ),
  );
  await until(executor, 'ready');
  const stray = Number(await readFile(join(place, 'stray'), 'utf8'));
  expect(await isThere(stray)).toBe(true);
  expect(await executor.stop(run, { graceMs: 50 })).toMatchObject({ left: 0 });
  expect(await isThere(stray)).toBe(false);
});

test('what a program leaves behind when it ends is ended too, with or without an engine', async () => {
  const engine = await startEngine(
    "setsid sh -c 'echo $$ > stray; exec sleep 63' & while [ ! -s stray ]; do sleep 0.02; done; " +
      'while [ ! -e go ]; do sleep 0.02; done; exit 0',
  );
  await kill(engine);
  await untilFile(() => readFile(join(place, 'stray'), 'utf8').catch(() => ''), '\n');
  const stray = Number(await readFile(join(place, 'stray'), 'utf8'));
  await writeFile(join(place, 'go'), '');
  expect(await executor.exit(run)).toMatchObject({ how: { kind: 'code', code: 0 } });
  expect(await isThere(stray)).toBe(false);
});

test('strays are found by their mark when wrapper, parent, group and session are all gone', async () => {
  await executor.start(
    spec(
      "(setsid sh -c 'echo $$ > stray; exec sleep 67' &) ; " +
        'while [ ! -s stray ]; do sleep 0.02; done; echo ready; exec sleep 66',
    ),
  );
  await until(executor, 'ready');
  const { wrapper } = JSON.parse(await readFile(join(runDir(), 'pid.json'), 'utf8'));
  process.kill(wrapper.pid, 'SIGKILL');
  const stray = Number(await readFile(join(place, 'stray'), 'utf8'));
  expect(await executor.stop(run, { graceMs: 1000 })).toMatchObject({ left: 0 });
  expect(await isThere(stray)).toBe(false);
});

test('what an engine inside an execution started ends with it, even when that engine is dead', async () => {
  const inner = join(import.meta.dirname, 'engine-process.ts');
  const outer =
    '"$@" & engine=$!; while [ ! -s stray ]; do sleep 0.02; done; ' +
    'kill -KILL $engine; wait; echo orphaned; exec sleep 66';
  const nested = ['nested-runs', 'inner', place, 'echo $$ > stray; exec sleep 69'];
  await executor.start(
    spec('', { argv: ['/bin/sh', '-c', outer, 'sh', process.execPath, inner, ...nested] }),
  );
  await until(executor, 'orphaned');
  const stray = Number(await readFile(join(place, 'stray'), 'utf8'));
  expect(await isThere(stray)).toBe(true);
  expect(await executor.stop(run, { graceMs: 200 })).toMatchObject({ left: 0 });
  expect(await isThere(stray)).toBe(false);
});

test('a process number that now belongs to another process is a lost execution, and the other is left alone', async () => {
  const stranger = spawn('/bin/sleep', ['64'], { stdio: 'ignore', detached: true });
  try {
    const wrapper = { pid: 2 ** 30, start: 'another-boot:1' };
    const program = { pid: stranger.pid, start: 'another-boot:2' };
    await mkdir(runDir(), { recursive: true });
    await writeFile(join(runDir(), 'claim.json'), JSON.stringify({ by: 'wrapper', ...wrapper }));
    await writeFile(join(runDir(), 'pid.json'), JSON.stringify({ wrapper, program, startedAt: 1 }));
    expect(await executor.find(run)).toMatchObject({ status: 'lost' });
    expect(await executor.exit(run)).toMatchObject({ status: 'lost' });
    expect(await executor.stop(run, { graceMs: 0 })).toMatchObject({ killed: 0 });
    expect(await isThere(stranger.pid ?? 0)).toBe(true);
    expect(await executor.start(spec('touch ran'))).toEqual({ id: run, fresh: false });
    expect(existsSync(join(place, 'ran'))).toBe(false);
  } finally {
    stranger.kill('SIGKILL');
  }
});

test('when the wrapper is killed the program is still found and stopped, then the run is lost', async () => {
  await executor.start(spec('exec sleep 65'));
  const { wrapper, program } = JSON.parse(await readFile(join(runDir(), 'pid.json'), 'utf8'));
  process.kill(wrapper.pid, 'SIGKILL');
  await untilFile(async () => String(await isThere(wrapper.pid)), 'false');
  expect(await executor.find(run)).toMatchObject({ status: 'running', pid: program.pid });
  expect(await executor.stop(run, { graceMs: 2000 })).toMatchObject({
    state: { status: 'lost' },
    left: 0,
  });
  expect(await isThere(program.pid)).toBe(false);
});

test('an engine that died before it launched anything leaves an id that can be started', async () => {
  await mkdir(runDir(), { recursive: true });
  await writeFile(join(runDir(), 'spec.json'), '{"outputBytes":65536}');
  expect(await executor.find(run)).toEqual({ status: 'absent' });
  expect(await executor.start(spec('exit 5'))).toEqual({ id: run, fresh: true });
  expect(await executor.exit(run)).toMatchObject({ how: { kind: 'code', code: 5 } });
});

test('an execution that was stopped before its wrapper began never runs', async () => {
  await mkdir(runDir(), { recursive: true });
  expect(await executor.stop(run, { graceMs: 0 })).toMatchObject({
    state: { status: 'exited', how: { kind: 'not-started', code: 'STOPPED' } },
  });
  // The wrapper that the dead engine had launched arrives late.
  const late = bareWrapper(place);
  late.child.stdin?.end(`${await messageFor(join(place, 'runs'), spec('touch ran'))}\n`);
  expect(await late.exit).toEqual([0, null]);
  expect(existsSync(join(place, 'ran'))).toBe(false);
});

test('half a message from an engine that died while sending it starts nothing', async () => {
  const message = await messageFor(join(place, 'runs'), spec('touch ran'));
  // Only the line end says that it is whole.
  for (const half of [message.slice(0, -20), message]) {
    const wrapper = bareWrapper(place);
    wrapper.child.stdin?.end(half);
    expect(await wrapper.exit).toEqual([1, null]);
  }
  expect(await executor.find(run)).toEqual({ status: 'absent' });
  expect(existsSync(join(place, 'ran'))).toBe(false);
});

test('a wrapper that was begun ahead of time runs the next program, and ends with an engine that dies', async () => {
  const engine = await startEngine('exec sleep 70');
  const { wrapper } = JSON.parse(await readFile(join(runDir(), 'pid.json'), 'utf8'));
  const spares = async (): Promise<number[]> => {
    const begun = await wrappersOf(join(place, 'runs'), engine.pid);
    return begun.filter((pid) => pid !== wrapper.pid);
  };
  await untilFile(async () => String((await spares()).length > 0), 'true');
  const [spare = 0] = await spares();
  await kill(engine);
  await untilFile(async () => String(await isThere(spare)), 'false');
  expect(await newExecutor().find(run)).toMatchObject({ status: 'running' });
});

test('values of the environment and the input are not written to disk', async () => {
  const secret = 'tok-5up3r';
  await executor.start(
    spec('cat > /dev/null; exec sleep 66', {
      env: { PATH: '/usr/bin:/bin', CONVOY_TOKEN: secret },
      stdin: `${secret} in the prompt`,
    }),
  );
  for (const name of await readdir(runDir()))
    expect(await readFile(join(runDir(), name), 'utf8')).not.toContain(secret);
  expect(await readFile(join(runDir(), 'spec.json'), 'utf8')).toContain('CONVOY_TOKEN');
  expect((await stat(runDir())).mode & 0o077).toBe(0);
});

test('the last words of a program that was silent before are not lost', async () => {
  await executor.start(spec('sleep 0.6; head -c 150000 /dev/zero; exit 0'));
  expect(await executor.exit(run)).toMatchObject({ output: { bytes: 150_000, dropped: 0 } });
});

test('a stray that keeps the output open does not keep the end from being recorded', async () => {
  // It hides from every search: another session, no marker, no parent of ours.
  await executor.start(
    spec("env -i setsid sh -c '(echo $$ > stray; exec sleep 68) &' & sleep 0.2; echo through", {}),
  );
  expect(await executor.exit(run)).toMatchObject({ how: { kind: 'code', code: 0 } });
  expect(await allOf(executor)).toBe('through\n');
  const stray = await strayIn(place);
  process.kill(stray, 'SIGKILL');
});

test('a reason that is longer than its record is cut, not lost', async () => {
  await executor.start(spec('', { argv: ['ä'.repeat(5000)] }));
  expect(await executor.exit(run)).toMatchObject({
    how: { kind: 'not-started', message: expect.stringMatching(/^no such program: ä+$/) },
  });
});

test('a line on one stream is not torn by the other', async () => {
  const half = 'x'.repeat(3000);
  await executor.start(
    spec(
      `i=0; while [ $i -lt 50 ]; do i=$((i+1)); printf ${half}; echo noise >&2; echo ${half}; done`,
    ),
  );
  await executor.exit(run);
  const lines = (await allOf(executor)).trimEnd().split('\n');
  expect(new Set(lines)).toEqual(new Set(['noise', half + half]));
  expect(lines).toHaveLength(100);
});

test('a prompt without a line end does not hold back the other stream for ever', async () => {
  await executor.start(spec('printf "name? "; echo oops >&2; exec sleep 67'));
  expect(await until(executor, 'oops')).toBe('name? oops\n');
});

test.runIf(existsSync('/usr/bin/prlimit'))(
  'limits bind the program: file size, priority',
  async () => {
    await executor.start(
      spec('nice; head -c 100000 /dev/zero > big; echo "head: $?"', {
        limits: { fileBytes: 50_000, nice: 7 },
      }),
    );
    await executor.exit(run);
    expect((await stat(join(place, 'big'))).size).toBe(50_000);
    expect(await allOf(executor)).toMatch(new RegExp(`^${getPriority() + 7}\\n`));
  },
);

test.runIf(existsSync('/usr/bin/prlimit'))(
  'where no more can be written the output suffers, not the program nor the record of its end',
  async () => {
    const engine = await startEngine('head -c 3000000 /dev/zero; exit 9', [
      '/usr/bin/prlimit',
      '--fsize=1000000',
    ]);
    const end = await executor.exit(run);
    await kill(engine);
    expect(end).toMatchObject({
      how: { kind: 'code', code: 9 },
      output: { bytes: 3_000_000, dropped: 2_000_000 },
    });
  },
);

async function startEngine(source: string, prefix: string[] = []): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'engine-process.ts');
  const [program, ...args] = [
    ...prefix,
    process.execPath,
    script,
    join(place, 'runs'),
    run,
    place,
    source,
  ];
  const engine = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void engine.kill('SIGKILL'));
  await once(engine.stdout ?? engine, 'data');
  return engine;
}

async function kill(engine: ChildProcess): Promise<void> {
  const gone = once(engine, 'exit');
  engine.kill('SIGKILL');
  await gone;
}

/** The one process that sleeps for 68 seconds in this test's directory. */
async function strayIn(cwd: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const at = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    if (line === 'sleep\x0068\0' && at === cwd) return Number(pid);
  }
  throw new Error('no stray');
}

async function allOf(from: Executor): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of from.follow(run, 0, AbortSignal.timeout(20_000)))
    parts.push(chunk.bytes);
  return Buffer.concat(parts).toString();
}

async function until(from: Executor, text: string): Promise<string> {
  let seen = '';
  for await (const chunk of from.follow(run, 0, AbortSignal.timeout(20_000))) {
    seen += Buffer.from(chunk.bytes).toString();
    if (seen.includes(text)) return seen;
  }
  throw new Error(`no ${text} in ${seen}`);
}

async function untilFile(read: () => Promise<string>, text: string): Promise<void> {
  await expect.poll(read, { timeout: 30_000, interval: 20 }).toContain(text);
}

/** The last bytes of what is there now. */
async function tailOf(from: Executor): Promise<string> {
  const names = (await readdir(runDir())).filter((name) => name.startsWith('tail.'));
  const last = names.map((name) => Number(name.split('.')[1])).toSorted((a, b) => b - a)[0];
  if (last === undefined) return '';
  const chunk = await from.tail(run, 200_000_000 - 10);
  return Buffer.from(chunk.bytes).toString();
}

async function sizeOf(dir: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(dir)).map(async (name) => (await stat(join(dir, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Alive, and not merely a corpse that nobody has collected yet. */
const isThere = async (pid: number): Promise<boolean> => (await startOf(pid)) !== null;
