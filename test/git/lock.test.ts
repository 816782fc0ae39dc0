import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fork } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { fileLock } from '../../src/adapters/git/lock.ts';
import { ok } from '../../src/lib/result.ts';
import { error, value } from './rig.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'convoy-lock-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('a lock whose holder died is taken over, one whose holder lives is not', async () => {
  const home = folder();
  const path = join(home, 'lock');
  const holder = { pid: 2 ** 22 + 1, startTime: '1', token: 'ab' };
  writeFileSync(path, JSON.stringify(holder));
  expect(value(await fileLock(path)(async () => ok('in')))).toBe('in');
  // The number was given to another process since: same pid, another start time.
  writeFileSync(path, JSON.stringify({ ...holder, pid: process.pid }));
  expect(value(await fileLock(path)(async () => ok('in')))).toBe('in');
  writeFileSync(path, JSON.stringify({ ...holder, pid: process.pid, startTime: null }));
  expect(error(await fileLock(path, 100)(async () => ok('in')))).toMatchObject({ reason: 'busy' });
  writeFileSync(path, 'half writ');
  expect(value(await fileLock(path)(async () => ok('in')))).toBe('in');
  expect(readdirSync(home)).toEqual([]);
});

test('work that throws gives the lock back', async () => {
  const path = join(folder(), 'lock');
  const lock = fileLock(path);
  await expect(lock(async () => Promise.reject(new Error('bug')))).rejects.toThrow('bug');
  expect(existsSync(path)).toBe(false);
  expect(value(await lock(async () => ok(1)))).toBe(1);
});

test('those that wait in one process hand the lock on as it is, and the last gives it back', async () => {
  const path = join(folder(), 'lock');
  const lock = fileLock(path);
  const seen = await Promise.all(
    Array.from({ length: 4 }, () => lock(async () => ok(readFileSync(path, 'utf8')))),
  );
  expect(new Set(seen.map(value)).size).toBe(1);
  expect(existsSync(path)).toBe(false);
  const again = value(await lock(async () => ok(readFileSync(path, 'utf8'))));
  expect(again).not.toBe(value(seen[0] ?? ok('')));
});

test('processes that add to one counter under the lock lose no addition, although some are killed', async () => {
  const home = folder();
  const counter = join(home, 'counter');
  writeFileSync(counter, '');
  const worker = fileURLToPath(new URL('./lock-worker.ts', import.meta.url));
  const children = ['20', '20', 'die', '20', 'die'].map((task) =>
    fork(worker, [join(home, 'lock'), counter, task], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
    }),
  );
  const ends = await Promise.all(
    children.map(
      (child) => new Promise((resolve) => child.on('exit', (_, signal) => resolve(signal))),
    ),
  );
  expect(ends).toEqual([null, null, 'SIGKILL', null, 'SIGKILL']);
  const lines = readFileSync(counter, 'utf8').trim().split('\n');
  // Each line is the number of lines before it; two holders at once would repeat one.
  expect(lines).toEqual(lines.map((_, at) => String(at)));
  expect(lines.length).toBe(60);
});
