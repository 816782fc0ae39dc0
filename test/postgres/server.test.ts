import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasPostgres } from './database.ts';
import { packagedBinaries } from './binaries.ts';
import { startPostgres } from './server.ts';
import { OWNER_FILE, PREFIX, removeStale } from './stale.ts';

const PATIENCE_MS = 20_000;

describe.skipIf(!hasPostgres())('the Postgres of a test run', () => {
  test('dies with a run that is killed, and the next run removes what it left', async () => {
    const run = spawn(process.execPath, [
      '--no-warnings',
      '-e',
      `import(${JSON.stringify(join(import.meta.dirname, 'server.ts'))})
        .then(({ startPostgres }) => startPostgres())
        .then(({ pid }) => { console.log(pid); setInterval(() => {}, 1000); })`,
    ]);
    onTestFinished(() => {
      run.kill('SIGKILL');
    });
    const [said] = (await once(run.stdout, 'data')) as [Buffer];
    const pid = Number(said.toString());
    const dir = serverDirectory(pid);
    const gone = once(run, 'exit');
    run.kill('SIGKILL');
    await gone;
    await removeStale();
    await eventually(() => !existsSync(`/proc/${pid}`));
    expect(existsSync(dir)).toBe(false);
  });

  test('leaves nothing when it is stopped', async () => {
    const server = await startPostgres();
    const dir = serverDirectory(server?.pid ?? 0);
    expect(existsSync(dir)).toBe(true);
    await server?.stop();
    expect(existsSync(dir)).toBe(false);
    expect(existsSync(`/proc/${server?.pid}`)).toBe(false);
  });

  test.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'can be the one from the package registry',
    async () => {
      const server = await startPostgres({ find: packagedBinaries });
      expect(server).not.toBeNull();
      await server?.stop();
    },
  );
});

test('a directory whose run still lives is left alone', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'stale-'));
  onTestFinished(() => rmSync(scratch, { recursive: true }));
  const [mine, dead] = ['a', 'b'].map((name) => join(scratch, PREFIX + name));
  if (mine === undefined || dead === undefined) return;
  for (const dir of [mine, dead]) mkdirSync(dir);
  writeFileSync(join(mine, OWNER_FILE), String(process.pid));
  // No process has this number: it is above what the kernel gives.
  writeFileSync(join(dead, OWNER_FILE), String(2 ** 30));
  await removeStale(scratch);
  expect([mine, dead].map((dir) => existsSync(dir))).toEqual([true, false]);
});

function serverDirectory(pid: number): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return join(words[words.indexOf('-D') + 1] ?? '', '..');
}

async function eventually(holds: () => boolean): Promise<void> {
  const start = performance.now();
  while (!holds()) {
    if (performance.now() - start > PATIENCE_MS) throw new Error('It never came true');
    await pause(20);
  }
}
