import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Scratch, scratch } from '../../../test/git/scratch.ts';
import { readPlainIndex, storeTree } from './tree-writer.ts';
import type { View } from './view.ts';

/** What we store for the index after these changes, beside what git says. */
function both(
  { path, index, git }: Scratch,
  change: () => void,
): { ours: string | null; git: string } {
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

const blob = ({ git }: Scratch): Buffer => Buffer.from(git('rev-parse', 'HEAD:a'), 'hex');
const emptyTree = ({ fed }: Scratch): Buffer =>
  Buffer.from(fed('', 'hash-object', '-t', 'tree', '-w', '--stdin'), 'hex');

/** A folder of HEAD as old programs left some. */
function addOddFolder({ git, fed }: Scratch, lines: Buffer[]): void {
  const literally = ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'];
  const odd = fed(Buffer.concat(lines), ...literally);
  const top = fed(`${git('ls-tree', 'HEAD')}\n040000 tree ${odd}\todd\n`, 'mktree');
  git('reset', '-q', '--hard', git('commit-tree', top, '-p', 'HEAD', '-m', 'odd'));
}

describe.each(['sha1', 'sha256'] as const)('with %s', (format) => {
  test.each<[string, (repo: Scratch) => void]>([
    ['a new file', ({ put }) => put('new', 'x')],
    ['one in a new folder', ({ put }) => put('src/other/new', 'x')],
    ['a file changed deep inside', ({ put }) => put('src/deep/er/c', 'x')],
    [
      'a file that is gone with its folder',
      ({ path }) => rmSync(join(path, 'docs'), { recursive: true }),
    ],
    [
      'a folder in the place of a file',
      ({ path, put }) => {
        rmSync(join(path, 'a'));
        put('a/b', 'x');
      },
    ],
    [
      'a file in the place of a folder',
      ({ path, put }) => {
        rmSync(join(path, 'src'), { recursive: true });
        put('src', 'x');
      },
    ],
    ['a program', ({ path }) => chmodSync(join(path, 'src/b'), 0o755)],
    ['a link', ({ path }) => symlinkSync('a', join(path, 'src/link'))],
    ['a name of more than one byte a letter', ({ put }) => put('docs/né', 'x')],
  ])('%s gives the tree that git gives, and all of it is there', (_, change) => {
    const repo = scratch(format);
    const trees = both(repo, () => change(repo));
    expect(trees.ours).toBe(trees.git);
  });
});

test('whatever is there, trees sort as those of git', () => {
  const repo = scratch();
  const name = fc.stringMatching(/^[a-c.0-]{1,3}$/).filter((text) => !/^\.+$/.test(text));
  const file = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
  fc.assert(
    fc.property(fc.array(file, { minLength: 1, maxLength: 12 }), (files) => {
      repo.git('reset', '-q', '--hard');
      const trees = both(repo, () => {
        for (const [n, each] of files.entries()) {
          try {
            repo.put(each, String(n));
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
  test.each<[string, (repo: Scratch) => Buffer[]]>([
    ['another mode', (repo) => [Buffer.from('100664 x\0'), blob(repo)]],
    [
      'an empty folder',
      (repo) => [
        Buffer.from('40000 empty\0'),
        emptyTree(repo),
        Buffer.from('100644 x\0'),
        blob(repo),
      ],
    ],
  ])('%s', (_, lines) => {
    const repo = scratch();
    addOddFolder(repo, lines(repo));
    const trees = both(repo, () => repo.put('src/b', 'x'));
    expect(trees.ours).toBeNull();
  });
});

test('where the index is not plain, git has to do it', () => {
  const repo = scratch();
  expect(both(repo, () => repo.git('update-index', '--assume-unchanged', 'a')).ours).toBeNull();
  rmSync(repo.index);
  expect(readPlainIndex(repo.index, repo.git('rev-parse', 'HEAD'))).toBeNull();
});
