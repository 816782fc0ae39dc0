import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readPlainIndex, storeTree } from './tree-writer.ts';
import type { View } from './view.ts';

let path: string;
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: path,
    encoding: 'utf8',
  }).trim();
const put = (name: string, content: string): void => {
  mkdirSync(dirname(join(path, name)), { recursive: true });
  writeFileSync(join(path, name), content);
};

/** What we store for the index after these changes, beside what git says. */
function both(change: () => void): { ours: string | null; git: string } {
  const index = join(path, '.git', 'index');
  const head = git('rev-parse', 'HEAD');
  const before = readPlainIndex(index, head);
  change();
  git('add', '-A');
  const after = readPlainIndex(index, head);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the place is used
  const view = { place: { commonDir: join(path, '.git') } } as View;
  const tree = git('rev-parse', 'HEAD^{tree}');
  const ours = before === null || after === null ? null : storeTree(view, tree, before, after);
  // Whole, as far as it can be reached; asked before git stores it itself.
  if (ours !== null) git('fsck', '--strict', '--no-dangling', ours);
  return { ours, git: git('write-tree') };
}

function begin(...options: string[]): void {
  git('init', '-q', ...options);
  for (const name of ['a', 'a.c', 'a0', 'a-/x', 'src/b', 'src/deep/er/c', 'docs/日本語.md'])
    put(name, name);
  git('add', '.');
  git('commit', '-qm', 'all');
}

const fed = (input: string | Buffer, ...args: string[]): string =>
  execFileSync('git', args, { cwd: path, input, encoding: 'utf8' }).trim();
const blob = (): Buffer => Buffer.from(git('rev-parse', 'HEAD:a'), 'hex');
const emptyTree = (): Buffer =>
  Buffer.from(fed('', 'hash-object', '-t', 'tree', '-w', '--stdin'), 'hex');

/** A folder of HEAD as old programs left some. */
function addOddFolder(lines: Buffer[]): void {
  const literally = ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'];
  const odd = fed(Buffer.concat(lines), ...literally);
  const top = fed(`${git('ls-tree', 'HEAD')}\n040000 tree ${odd}\todd\n`, 'mktree');
  git('reset', '-q', '--hard', git('commit-tree', top, '-p', 'HEAD', '-m', 'odd'));
}

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'trees-'));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

describe.each([['sha1'], ['sha256']])('with %s', (format) => {
  test.each<[string, () => void]>([
    ['a new file', () => put('new', 'x')],
    ['one in a new folder', () => put('src/other/new', 'x')],
    ['a file changed deep inside', () => put('src/deep/er/c', 'x')],
    ['a file that is gone with its folder', () => rmSync(join(path, 'docs'), { recursive: true })],
    [
      'a folder in the place of a file',
      () => {
        rmSync(join(path, 'a'));
        put('a/b', 'x');
      },
    ],
    [
      'a file in the place of a folder',
      () => {
        rmSync(join(path, 'src'), { recursive: true });
        put('src', 'x');
      },
    ],
    ['a program', () => chmodSync(join(path, 'src/b'), 0o755)],
    ['a link', () => symlinkSync('a', join(path, 'src/link'))],
    ['a name of more than one byte a letter', () => put('docs/né', 'x')],
  ])('%s gives the tree that git gives, and all of it is there', (_, change) => {
    begin(`--object-format=${format}`);
    const trees = both(change);
    expect(trees.ours).toBe(trees.git);
  });
});

test('whatever is there, trees sort as those of git', () => {
  begin();
  const name = fc.stringMatching(/^[a-c.0-]{1,3}$/).filter((text) => !/^\.+$/.test(text));
  const file = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
  fc.assert(
    fc.property(fc.array(file, { minLength: 1, maxLength: 12 }), (files) => {
      git('reset', '-q', '--hard');
      const trees = both(() => {
        for (const [n, each] of files.entries()) {
          try {
            put(each, String(n));
          } catch {
            // A file is in the place of its folder, or the other way round.
          }
        }
      });
      expect(trees.ours).toBe(trees.git);
    }),
    { numRuns: 15 },
  );
});

describe('where the tree of HEAD is not written as git writes trees today, git has to do it', () => {
  test.each<[string, () => Buffer[]]>([
    ['another mode', () => [Buffer.from('100664 x\0'), blob()]],
    [
      'an empty folder',
      () => [Buffer.from('40000 empty\0'), emptyTree(), Buffer.from('100644 x\0'), blob()],
    ],
  ])('%s', (_, lines) => {
    begin();
    addOddFolder(lines());
    const trees = both(() => put('src/b', 'x'));
    expect(trees.ours).toBeNull();
  });
});

test('where the index is not plain, git has to do it', () => {
  begin();
  expect(both(() => git('update-index', '--assume-unchanged', 'a')).ours).toBeNull();
  rmSync(join(path, '.git/index'));
  expect(readPlainIndex(join(path, '.git/index'), git('rev-parse', 'HEAD'))).toBeNull();
});
