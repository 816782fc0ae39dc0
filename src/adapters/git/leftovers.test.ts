import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mayHaveLeftovers } from './leftovers.ts';

let path: string;
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: path,
    encoding: 'utf8',
  }).trim();
const put = (name: string | Buffer, content = ''): void => {
  const file = Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name)]);
  mkdirSync(dirname(file.toString('latin1')), { recursive: true });
  writeFileSync(file, content);
};
const seen = (...keep: string[]): boolean =>
  mayHaveLeftovers({ path, index: join(path, '.git', 'index') }, git('rev-parse', 'HEAD'), keep);

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'leftovers-'));
  git('init', '-q');
  for (const name of ['a', 'src/b', 'src/deep/er/c', 'docs/日本語.md']) put(name, name);
  symlinkSync('a', join(path, 'link'));
  git('add', '.');
  git('commit', '-qm', 'all');
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

test('a checkout with its tracked files and nothing else has none', () => {
  expect(seen()).toBe(false);
});

describe('anything more is one', () => {
  test.each([
    ['a file', () => put('new')],
    ['a file deep inside', () => put('src/deep/er/new')],
    ['one that ignores itself', () => put('src/.gitignore', '*')],
    ['an empty folder', () => mkdirSync(join(path, 'src/empty'))],
    [
      'a folder in the place of a file',
      () => mkdirSync((rmSync(join(path, 'a')), join(path, 'a'))),
    ],
    [
      'a link in the place of a folder',
      () => {
        rmSync(join(path, 'docs'), { recursive: true });
        symlinkSync('src', join(path, 'docs'));
      },
    ],
    ['a repository of its own', () => void git('init', '-q', 'src/inner')],
  ])('%s', (_, leave) => {
    leave();
    expect(seen()).toBe(true);
  });
});

test('what is kept is none, at the top only', () => {
  put('node_modules/x/y');
  expect(seen()).toBe(true);
  expect(seen('node_modules')).toBe(false);
  put('src/node_modules/x');
  expect(seen('node_modules')).toBe(true);
});

describe('where it is not plain, git has to look', () => {
  test('an index of another version', () => {
    git('update-index', '--index-version', '4');
    expect(seen()).toBe(true);
  });

  test('a file that is assumed unchanged', () => {
    git('update-index', '--assume-unchanged', 'a');
    expect(seen()).toBe(true);
  });

  test('a submodule', () => {
    git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD')},sub`);
    expect(seen()).toBe(true);
  });

  test('many files', () => {
    for (let n = 0; n < 600; n += 1) put(`many/${n}`);
    git('add', '.');
    expect(seen()).toBe(true);
  });

  test('no index at all, or half of one', () => {
    writeFileSync(join(path, '.git/index'), 'DIRC');
    expect(seen()).toBe(true);
    rmSync(join(path, '.git/index'));
    expect(seen()).toBe(true);
  });
});

test('a repository with longer hashes is read as well', () => {
  rmSync(join(path, '.git'), { recursive: true });
  git('init', '-q', '--object-format=sha256');
  git('add', '.');
  git('commit', '-qm', 'all');
  expect(seen()).toBe(false);
  put('new');
  expect(seen()).toBe(true);
});
