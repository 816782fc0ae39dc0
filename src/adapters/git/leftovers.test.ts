import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Scratch, scratch } from '../../../test/git/scratch.ts';
import { mayHaveLeftovers } from './leftovers.ts';

let repo: Scratch;
const seen = (...keep: string[]): boolean =>
  mayHaveLeftovers(repo, repo.git('rev-parse', 'HEAD'), keep);

beforeEach(() => {
  repo = scratch();
  symlinkSync('a', join(repo.path, 'link'));
  repo.git('add', '.');
  repo.git('commit', '-qm', 'with a link');
});

test('a checkout with its tracked files and nothing else has none', () => {
  expect(seen()).toBe(false);
});

describe('anything more is one', () => {
  test.each([
    ['a file', () => repo.put('new')],
    ['a file deep inside', () => repo.put('src/deep/er/new')],
    ['one that ignores itself', () => repo.put('src/.gitignore', '*')],
    ['an empty folder', () => mkdirSync(join(repo.path, 'src/empty'))],
    [
      'a folder in the place of a file',
      () => mkdirSync((rmSync(join(repo.path, 'a')), join(repo.path, 'a'))),
    ],
    [
      'a link in the place of a folder',
      () => {
        rmSync(join(repo.path, 'docs'), { recursive: true });
        symlinkSync('src', join(repo.path, 'docs'));
      },
    ],
    ['a repository of its own', () => void repo.git('init', '-q', 'src/inner')],
  ])('%s', (_, leave) => {
    leave();
    expect(seen()).toBe(true);
  });
});

test('what is kept is none, at the top only', () => {
  repo.put('node_modules/x/y');
  expect(seen()).toBe(true);
  expect(seen('node_modules')).toBe(false);
  repo.put('src/node_modules/x');
  expect(seen('node_modules')).toBe(true);
});

describe('where it is not plain, git has to look', () => {
  test('an index of another version', () => {
    repo.git('update-index', '--index-version', '4');
    expect(seen()).toBe(true);
  });

  test('a file that is assumed unchanged', () => {
    repo.git('update-index', '--assume-unchanged', 'a');
    expect(seen()).toBe(true);
  });

  test('a submodule', () => {
    repo.git('update-index', '--add', '--cacheinfo', `160000,${repo.git('rev-parse', 'HEAD')},sub`);
    expect(seen()).toBe(true);
  });

  test('many files', () => {
    for (let n = 0; n < 600; n += 1) repo.put(`many/${n}`);
    repo.git('add', '.');
    expect(seen()).toBe(true);
  });

  test('no index at all, or half of one', () => {
    writeFileSync(repo.index, 'DIRC');
    expect(seen()).toBe(true);
    rmSync(repo.index);
    expect(seen()).toBe(true);
  });
});

test('a repository with longer hashes is read as well', () => {
  repo = scratch('sha256');
  expect(seen()).toBe(false);
  repo.put('new');
  expect(seen()).toBe(true);
});
