import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { localExecutor } from '../../src/adapters/executor/local.ts';
import { executionId, type ExecutionSpec } from '../../src/ports/executor.ts';
import { bareWrapper, messageFor } from './wrapper-process.ts';

let place: string;
let runs: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'convoy-wrapper-'));
  runs = join(place, 'runs');
});
afterEach(async () => {
  const executor = localExecutor({ directory: runs, node: process.execPath });
  for (const name of await readdir(runs)) await executor.stop(executionId(name), { graceMs: 0 });
  await rm(place, { recursive: true });
});

const spec = (id: string, source: string, more: Partial<ExecutionSpec> = {}): ExecutionSpec => ({
  id: executionId(id),
  argv: ['/bin/sh', '-c', source],
  cwd: place,
  env: { PATH: '/usr/bin:/bin' },
  ...more,
});
const message = (id: string, source: string, more?: Partial<ExecutionSpec>): Promise<string> =>
  messageFor(runs, spec(id, source, more));
const exitOf = async (id: string): Promise<unknown> =>
  JSON.parse(await readFile(join(runs, id, 'exit.json'), 'utf8')).how;

test('it says when it can be told, and for each run when it runs and when its end is recorded', async () => {
  const { child, word, exit } = bareWrapper(place);
  expect(await word()).toBe('ready');
  child.stdin?.write(`${await message('one', 'exit 3')}\n`);
  expect([await word(), await word()]).toEqual(['running', 'ended']);
  expect(await exitOf('one')).toEqual({ kind: 'code', code: 3 });
  child.stdin?.write(`${await message('two', '', { argv: ['nowhere-to-be-found'] })}\n`);
  expect(await word()).toBe('ended');
  child.stdin?.write(`${await message('one', 'exit 3')}\n`);
  expect(await word()).toBe('taken');
  child.stdin?.end();
  expect(await exit).toEqual([0, null]);
});

test('messages may come in pieces or together; they are run one after the other, then it goes', async () => {
  const { child, word, exit } = bareWrapper(place);
  await word();
  const [first = '', ...rest] =
    (await message('one', 'echo one >> order')).match(/[^]{1,40}/g) ?? [];
  for (const piece of [first, ...rest]) {
    await new Promise((done) => child.stdin?.write(piece, done));
    await new Promise(setImmediate);
  }
  const [two, three] = [await message('two', 'echo two >> order'), await message('three', 'x')];
  // The end of the input comes while there is a run, and half a message behind it.
  child.stdin?.end(`\n${two}\n${three}`);
  for (const expected of ['running', 'ended', 'running', 'ended'])
    expect(await word()).toBe(expected);
  await exit;
  expect(await readFile(join(place, 'order'), 'utf8')).toBe('one\ntwo\n');
  expect(await readdir(join(runs, 'three'))).toEqual([]);
});

test('an error that nobody expected ends it with code 1, and is kept with the run', async () => {
  const { child, word, exit } = bareWrapper(place);
  await word();
  child.stdin?.write(`${await message('one', `rm '${join(runs, 'one')}/exit.tmp'`)}\n`);
  expect(await word()).toBe('running');
  expect(await exit).toEqual([1, null]);
  expect(await readFile(join(runs, 'one', 'wrapper.log'), 'utf8')).toContain('exit.tmp');
});

test('values of the environment and the input are out of reach once the program has them', async () => {
  const secrets = ['tok-5up3r-env', 'tok-5up3r-input'];
  const { child, word, exit } = bareWrapper(place, ['--heapsnapshot-signal=SIGUSR2']);
  const snapshot = async (): Promise<string> => {
    const known = await readdir(place);
    child.kill('SIGUSR2');
    const isNew = (name: string): boolean =>
      name.endsWith('.heapsnapshot') && !known.includes(name);
    const whole = await vi.waitUntil(
      async () => {
        const name = (await readdir(place)).find(isNew);
        const text = name === undefined ? '' : await readFile(join(place, name), 'utf8');
        return text.endsWith(']}\n') || text.endsWith(']}') ? text : false;
      },
      { timeout: 30_000, interval: 50 },
    );
    return whole;
  };
  await word();
  const more = { env: { PATH: '/usr/bin:/bin', TOKEN: secrets[0] ?? '' }, stdin: secrets[1] ?? '' };
  const source = 'while [ ! -e go ]; do sleep 0.02; done; echo "$TOKEN" > env.txt; cat > input.txt';
  child.stdin?.write(`${await message('one', source, more)}\n`);
  expect(await word()).toBe('running');
  const during = await snapshot();
  // What the run still needs shows that the snapshot would have the rest, too.
  expect(during.includes(join(runs, 'one'))).toBe(true);
  expect(secrets.filter((secret) => during.includes(secret))).toEqual([]);
  await writeFile(join(place, 'go'), '');
  expect(await word()).toBe('ended');
  expect(await readFile(join(place, 'env.txt'), 'utf8')).toBe(`${secrets[0]}\n`);
  expect(await readFile(join(place, 'input.txt'), 'utf8')).toBe(secrets[1]);
  const after = await snapshot();
  const left = [...secrets, join(runs, 'one')].filter((text) => after.includes(text));
  expect(left).toEqual([]);
  child.stdin?.end();
  expect(await exit).toEqual([0, null]);
}, 60_000);
