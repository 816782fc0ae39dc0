// oxlint-disable max-lines-per-function -- a suite is a list of tests
import { realpath } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executionId, type ExecutionSpec, type Executor } from '../../src/ports/executor.ts';

export type ExecutorRig = {
  readonly executor: Executor;
  /** A directory the programs may run in. */
  readonly workplace: string;
  readonly close: () => Promise<void>;
};

/** What every executor must do, whatever it runs programs on. */
export function executorContract(open: () => Promise<ExecutorRig>): void {
  let rig: ExecutorRig;
  let made = 0;
  beforeAll(async () => {
    rig = await open();
  });
  afterAll(() => rig.close());

  const script = (source: string, more: Partial<ExecutionSpec> = {}): ExecutionSpec => ({
    id: executionId(`contract-${(made += 1)}`),
    argv: ['/bin/sh', '-c', source],
    cwd: rig.workplace,
    env: { PATH: '/usr/bin:/bin' },
    ...more,
  });
  const outputOf = async (id: ExecutionSpec['id']): Promise<string> => {
    const parts: Uint8Array[] = [];
    for await (const chunk of rig.executor.follow(id, 0, AbortSignal.timeout(20_000)))
      parts.push(chunk.bytes);
    return Buffer.concat(parts).toString();
  };

  test('nothing is known of an id that was never started', async () => {
    expect(await rig.executor.find(executionId('never'))).toEqual({ status: 'absent' });
    expect(await rig.executor.stop(executionId('never'), { graceMs: 0 })).toEqual({
      state: { status: 'absent' },
      killed: 0,
      left: 0,
    });
    await expect(rig.executor.exit(executionId('never'))).rejects.toThrow('nothing was started');
  });

  test('the exit code, the end and the size of the output are recorded', async () => {
    const spec = script('printf hello; exit 7');
    expect(await rig.executor.start(spec)).toEqual({ id: spec.id, fresh: true });
    const end = await rig.executor.exit(spec.id);
    expect(end).toEqual({
      status: 'exited',
      how: { kind: 'code', code: 7 },
      at: expect.any(Number),
      output: { bytes: 5, dropped: 0 },
    });
    expect(await rig.executor.find(spec.id)).toEqual(end);
  });

  test('a program that dies by a signal is told from one that exits', async () => {
    const spec = script('kill -KILL $$');
    await rig.executor.start(spec);
    expect(await rig.executor.exit(spec.id)).toMatchObject({
      how: { kind: 'signal', signal: 'SIGKILL' },
    });
  });

  test('a missing program and a missing directory are not exit codes', async () => {
    const missing = script('', { argv: ['no-such-program-anywhere'] });
    await rig.executor.start(missing);
    expect(await rig.executor.exit(missing.id)).toMatchObject({
      how: { kind: 'not-started', code: 'ENOENT', message: expect.stringContaining('no-such-') },
    });
    const nowhere = script('true', { cwd: `${rig.workplace}/nowhere` });
    await rig.executor.start(nowhere);
    expect(await rig.executor.exit(nowhere.id)).toMatchObject({
      how: { kind: 'not-started', message: expect.stringContaining('nowhere') },
    });
  });

  test('the environment is what was passed and the marker, nothing else', async () => {
    const spec = script('', { argv: ['/usr/bin/env'], env: { A: 'one\ntwo', B: '$HOME' } });
    await rig.executor.start(spec);
    expect(await outputOf(spec.id)).toBe(`A=one\ntwo\nB=$HOME\nCONVOY_EXECUTION=${spec.id}\n`);
  });

  test('arguments arrive as they are, the program runs in its directory and reads its input', async () => {
    const spec = script('', {
      argv: ['/bin/sh', '-c', 'pwd; printf "%s|" "$@"; cat', 'sh', 'a b', '', '*', '$(x)'],
      stdin: 'from input',
    });
    await rig.executor.start(spec);
    expect(await outputOf(spec.id)).toBe(
      `${await realpath(rig.workplace)}\na b||*|$(x)|from input`,
    );
  });

  test('its files are there when it starts, and for this user only', async () => {
    const path = `${rig.workplace}/papers/of/it.txt`;
    const spec = script('cat papers/of/it.txt; ls -l papers/of/it.txt', {
      files: [{ path, content: 'read me\n' }],
    });
    await rig.executor.start(spec);
    expect(await outputOf(spec.id)).toMatch(/^read me\n-rw------- /);
  });

  test('without input a program reads the end at once', async () => {
    const spec = script('cat; echo done');
    await rig.executor.start(spec);
    expect(await outputOf(spec.id)).toBe('done\n');
  });

  test('KG-87 starting an id again finds the first execution, also at the same time and after its end', async () => {
    const spec = script('echo run >> runs.txt; echo ready; exec sleep 30');
    const starts = await Promise.all([1, 2, 3, 4].map(() => rig.executor.start(spec)));
    expect(starts.filter((start) => start.fresh)).toHaveLength(1);
    await untilOutput(rig.executor, spec.id, 'ready');
    const running = await rig.executor.find(spec.id);
    expect(running).toMatchObject({ status: 'running' });
    await rig.executor.stop(spec.id, { graceMs: 1000 });
    expect(await rig.executor.start(spec)).toEqual({ id: spec.id, fresh: false });
    const count = script('cat runs.txt');
    await rig.executor.start(count);
    expect(await outputOf(count.id)).toBe('run\n');
  });

  test('stopping ends a willing program with its own exit code', async () => {
    const spec = script('trap "exit 3" TERM; echo ready; while :; do sleep 0.05; done');
    await rig.executor.start(spec);
    await untilOutput(rig.executor, spec.id, 'ready');
    const stopped = await rig.executor.stop(spec.id, { graceMs: 10_000 });
    expect(stopped).toMatchObject({
      state: { status: 'exited', how: { kind: 'code', code: 3 } },
      left: 0,
    });
  });

  test('stopping ends an unwilling program and its children with force, and may be repeated', async () => {
    const spec = script('trap "" TERM; (trap "" TERM; sleep 60) & echo ready; sleep 60; sleep 60');
    await rig.executor.start(spec);
    await untilOutput(rig.executor, spec.id, 'ready');
    const stopped = await rig.executor.stop(spec.id, { graceMs: 100 });
    expect(stopped.killed).toBeGreaterThanOrEqual(2);
    expect(stopped).toMatchObject({
      state: { status: 'exited', how: { kind: 'signal', signal: 'SIGKILL' } },
      left: 0,
    });
    const again = await rig.executor.stop(spec.id, { graceMs: 100 });
    expect(again).toEqual({ state: stopped.state, killed: 0, left: 0 });
  });

  test('output can be read from any position while it grows', async () => {
    const spec = script('echo one; read x < fifo; echo two', { cwd: rig.workplace });
    const gate = script('mkfifo fifo');
    await rig.executor.start(gate);
    await rig.executor.exit(gate.id);
    await rig.executor.start(spec);
    await untilOutput(rig.executor, spec.id, 'one\n');
    expect(await rig.executor.tail(spec.id, 4)).toMatchObject({ from: 4, next: 4, skipped: 0 });
    const opener = script('echo go > fifo');
    await rig.executor.start(opener);
    await rig.executor.exit(spec.id);
    const rest = await rig.executor.tail(spec.id, 4);
    expect(Buffer.from(rest.bytes).toString()).toBe('two\n');
    expect(rest.next).toBe(8);
    expect((await rig.executor.tail(spec.id, 5, 2)).next).toBe(7);
  });

  test('following ends when it is told to', async () => {
    const spec = script('echo first; exec sleep 60');
    await rig.executor.start(spec);
    const enough = new AbortController();
    const seen: string[] = [];
    for await (const chunk of rig.executor.follow(spec.id, 0, enough.signal)) {
      seen.push(Buffer.from(chunk.bytes).toString());
      enough.abort();
    }
    expect(seen).toEqual(['first\n']);
    await rig.executor.stop(spec.id, { graceMs: 1000 });
  });

  test('waiting for the end can be given up without harm to the program', async () => {
    const spec = script('exec sleep 60');
    await rig.executor.start(spec);
    const enough = new AbortController();
    const waiting = rig.executor.exit(spec.id, enough.signal);
    enough.abort(new Error('not now'));
    await expect(waiting).rejects.toThrow('not now');
    expect(await rig.executor.find(spec.id)).toMatchObject({ status: 'running' });
    await rig.executor.stop(spec.id, { graceMs: 1000 });
  });

  test('the middle of a long output is dropped and counted, head and tail are kept', async () => {
    const spec = script('i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo "line $i"; done', {
      limits: { outputBytes: 4096 },
    });
    await rig.executor.start(spec);
    const end = await rig.executor.exit(spec.id);
    if (end.status !== 'exited') throw new Error(`unexpected ${end.status}`);
    const whole = Array.from({ length: 3000 }, (_, i) => `line ${i + 1}\n`).join('');
    expect(end.output.bytes).toBe(whole.length);
    const chunks: string[] = [];
    let skipped = 0;
    for await (const chunk of rig.executor.follow(spec.id, 0, AbortSignal.timeout(20_000))) {
      chunks.push(Buffer.from(chunk.bytes).toString());
      skipped += chunk.skipped;
    }
    const kept = chunks.join('');
    expect(kept.length).toBeLessThanOrEqual(4096);
    expect(kept.length + skipped).toBe(whole.length);
    expect(end.output.dropped).toBe(skipped);
    expect(whole.startsWith(kept.slice(0, 2048))).toBe(true);
    expect(whole.endsWith(kept.slice(2048))).toBe(true);
    expect(kept.length - 2048).toBeGreaterThan(1024);
  });
}

async function untilOutput(
  executor: Executor,
  id: ExecutionSpec['id'],
  text: string,
): Promise<void> {
  let seen = '';
  for await (const chunk of executor.follow(id, 0, AbortSignal.timeout(20_000))) {
    seen += Buffer.from(chunk.bytes).toString();
    if (seen.includes(text)) return;
  }
  throw new Error(`the output ended without ${JSON.stringify(text)}: ${JSON.stringify(seen)}`);
}
