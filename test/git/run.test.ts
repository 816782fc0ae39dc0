import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { gitRunner } from '../../src/adapters/git/run.ts';
import { error, value } from './rig.ts';

/** A program in git's place, to see how a misbehaving child is handled. */
function standIn(script: string): { git: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'convoy-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = join(folder, 'git');
  writeFileSync(git, `#!/bin/sh\n${script}\n`);
  chmodSync(git, 0o755);
  return { git, folder };
}

const isRunning = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
};

test('a git that hangs is ended together with the children it started', async () => {
  const { git, folder } = standIn('sleep 300 & echo $! > child; wait');
  const run = gitRunner({ git });
  const ended = await run({ args: ['fetch'], cwd: folder, timeoutMs: 500 });
  expect(error(ended)).toMatchObject({ kind: 'errored', reason: 'timed_out', what: 'git fetch' });
  const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
  await expect.poll(() => isRunning(child)).toBe(false);
});

test('someone who says stop gets stopped, not failed', async () => {
  const { git, folder } = standIn('echo > started; exec sleep 300');
  const controller = new AbortController();
  const watcher = watch(folder, () => {
    if (existsSync(join(folder, 'started'))) controller.abort();
  });
  onTestFinished(() => watcher.close());
  const run = gitRunner({ git, signal: controller.signal });
  expect(error(await run({ args: ['log'], cwd: folder }))).toEqual({
    kind: 'stopped',
    what: 'git log',
  });
  expect(error(await run({ args: ['log'], cwd: folder }))).toMatchObject({ kind: 'stopped' });
});

test('output beyond the limit is an error, or cut where the caller asked for that', async () => {
  const { git, folder } = standIn('exec yes');
  const run = gitRunner({ git });
  const command = { args: ['log'], cwd: folder, maxBytes: 1000 };
  expect(error(await run(command))).toMatchObject({ reason: 'output_too_large' });
  const cut = value(await run({ ...command, truncate: true }));
  expect(cut).toMatchObject({ truncated: true });
  expect(cut.stdout).toHaveLength(1000);
});

test('a machine without git says so', async () => {
  const run = gitRunner({ git: '/nowhere/git' });
  expect(error(await run({ args: ['log'], cwd: tmpdir() }))).toMatchObject({
    reason: 'git_missing',
  });
});

test('git sees none of our environment but what it needs', async () => {
  const { git, folder } = standIn('env');
  const run = gitRunner({
    git,
    env: { PATH: 'bin:/usr/bin:/bin', HOME: '/h', SECRET: 's', GIT_DIR: '/evil', GIT_EDITOR: 'vi' },
  });
  const seen = value(await run({ args: ['log'], cwd: folder })).stdout.toString();
  expect(seen).toContain('PATH=/usr/bin:/bin\n');
  expect(seen).toContain('GIT_TERMINAL_PROMPT=0\n');
  expect(seen).not.toMatch(/SECRET|evil|vi$/m);
});
