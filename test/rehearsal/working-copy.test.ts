import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyWorkingTree } from '../../src/adapters/rehearsal/working-copy.ts';
import { rehearse, temporaryDirectory } from './rehearse-fixture.ts';

const never = new AbortController().signal;

test('the copy holds tracked and new files as they are now, and nothing that git ignores', async () => {
  const root = repository({ 'kept.txt': 'old', 'gone.txt': 'x', '.gitignore': '.env\n' });
  writeFileSync(join(root, 'kept.txt'), 'edited');
  writeFileSync(join(root, 'new.txt'), 'new');
  writeFileSync(join(root, '.env'), 'SECRET=1');
  rmSync(join(root, 'gone.txt'));
  const into = temporaryDirectory();
  await copyWorkingTree(root, into, never);
  expect(readFileSync(join(into, 'kept.txt'), 'utf8')).toBe('edited');
  expect(readFileSync(join(into, 'new.txt'), 'utf8')).toBe('new');
  expect(['.env', 'gone.txt', '.git'].filter((name) => existsSync(join(into, name)))).toEqual([]);
});

test('links stay links: none is followed out of the tree, one into it points into the copy', async () => {
  const outside = temporaryDirectory();
  writeFileSync(join(outside, 'private'), 'private');
  const root = repository({ 'lib/code.txt': 'code' });
  symlinkSync(outside, join(root, 'away'));
  symlinkSync(join(root, 'lib'), join(root, 'near'));
  const into = temporaryDirectory();
  const { notes } = await copyWorkingTree(root, into, never);
  expect(lstatSync(join(into, 'away')).isSymbolicLink()).toBe(true);
  expect(readlinkSync(join(into, 'near'))).toBe('lib');
  expect(notes).toEqual([`away is a link out of the tree (${outside}); it was not followed`]);
});

test('a directory without git is copied without its installed packages', async () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, 'node_modules/dep'), { recursive: true });
  writeFileSync(join(root, 'node_modules/dep/index.js'), '');
  writeFileSync(join(root, 'app.js'), '');
  const into = temporaryDirectory();
  expect(await copyWorkingTree(root, into, never)).toEqual({ files: 1, notes: [] });
  expect(existsSync(join(into, 'node_modules'))).toBe(false);
});

test('a rehearsal does not change the working tree', async () => {
  const root = repository({ 'app.js': '' });
  const before = execFileSync('git', ['status', '--porcelain', '--ignored'], { cwd: root });
  const { report } = await rehearse(root, {
    lane: { build: 'echo built > built.txt; echo x >> app.js', start: 'cat built.txt; exit 7' },
  });
  expect(report.verdict).toMatchObject({ status: 'failed', exit: 7, logTail: 'built\n' });
  expect(execFileSync('git', ['status', '--porcelain', '--ignored'], { cwd: root })).toEqual(
    before,
  );
});

test.each([
  ['at the root of a workspace', ['package-lock.json', 'apps/api/package.json'], ['.']],
  ['in a nested project', ['apps/api/package-lock.json'], ['apps/api']],
  ['in both', ['package-lock.json', 'apps/api/package-lock.json'], ['.', 'apps/api']],
])('DC-22 install runs where the lockfile is: %s', async (_, files, places) => {
  const root = repository(
    Object.fromEntries([...files, 'apps/api/app.js'].map((file) => [file, '{}'])),
  );
  const { report } = await rehearse(root, {
    lane: { path: 'apps/api', install: 'pwd', start: 'exit 1' },
  });
  const installs = report.steps.filter(({ step }) => step === 'install');
  expect(installs.map(({ directory }) => directory)).toEqual(places);
});

function repository(files: Readonly<Record<string, string>>): string {
  const root = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: root,
      stdio: 'ignore',
    });
  git('init', '-b', 'main');
  git('add', '-A');
  git('commit', '-m', 'first');
  return root;
}
