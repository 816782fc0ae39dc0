import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { branchesOf } from '../../src/adapters/git/branches.ts';
import { repositoryFacts } from '../../src/adapters/git/facts.ts';
import { writeCommit } from '../../src/adapters/git/commit.ts';
import { compare } from '../../src/adapters/git/compare.ts';
import { attributeFiles } from '../../src/adapters/git/attribute-files.ts';
import { type Git, gitOf } from '../../src/adapters/git/git.ts';
import { locate } from '../../src/adapters/git/locate.ts';
import { mergeTrees } from '../../src/adapters/git/merge-trees.ts';
import { gitRunner } from '../../src/adapters/git/run.ts';
import { stayingOf } from '../../src/adapters/git/staying.ts';
import { openView } from '../../src/adapters/git/view.ts';
import { AT, makeRig, type Rig, value } from './rig.ts';

/** The same repository by gits that stay, and by one process for each question. */
async function bothOf(rig: Rig): Promise<{ stays: Git; alone: Git; started: () => string[] }> {
  const started: string[] = [];
  const run = gitRunner({ env: rig.env });
  mkdirSync(rig.cache, { recursive: true });
  const view = value(await openView(value(await locate(rig.repo)), rig.cache, run));
  const stays = gitOf(
    view,
    (command) => {
      started.push(command.args[0] ?? '');
      return run(command);
    },
    stayingOf(view, { env: rig.env }),
  );
  return { stays, alone: gitOf(view, run), started: () => started };
}

test('merges by the git that stays are those of a git for each: clean, conflicted, odd names, unknown, unrelated', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1\n', b: '1\n', 'dir/old': 'same\n'.repeat(20) });
  const ours = rig.commit('ours', { a: '2\n', 'a\nb "ü"': 'x', 'new/file': 'x' });
  rig.git('checkout', '--quiet', '--detach', base);
  rig.git('mv', 'dir/old', 'moved');
  const theirs = rig.commit('theirs', { a: '3\n', 'a\nb "ü"': 'y', new: 'y' });
  const other = rig.plant({ a: '1\n', b: '2\n' }, base);
  const stranger = rig.plant({ z: '1\n' });
  const { stays, alone, started } = await bothOf(rig);
  const commits = [base, ours, theirs, other, stranger, '0'.repeat(40)];
  for (const one of commits) {
    for (const two of commits) {
      expect(await mergeTrees(stays, one, two)).toEqual(await mergeTrees(alone, one, two));
    }
  }
  const fallbacks = started().filter((name) => name === 'merge-tree').length;
  // Only what it refuses makes it end, and then one of its own says why.
  expect(fallbacks).toBeLessThan(commits.length ** 2 / 2);
});

/** A lockfile that must not be merged line by line. */
const lock = (n: string): Record<string, string> => ({
  'app/lock': `${n}\nb\nc\nd\ne\n`,
  'app/.gitattributes': 'lock -merge\n',
});

test('a merge obeys the attributes of the commit it goes onto, also by the git that stays', async () => {
  const rig = makeRig();
  const base = rig.commit('base', lock('a'));
  const ours = rig.commit('ours', lock('x'));
  rig.git('checkout', '--quiet', '--detach', base);
  const theirs = rig.commit('theirs', { 'app/lock': 'a\nb\nc\nd\nz\n' });
  const { stays, alone } = await bothOf(rig);
  const merged = await mergeTrees(stays, ours, theirs);
  expect(merged).toMatchObject({ ok: false, error: { kind: 'conflict', files: ['app/lock'] } });
  expect(merged).toEqual(await mergeTrees(alone, ours, theirs));
});

test('attribute files are found in folders that changed, came and went, without listing the commit again', async () => {
  const rig = makeRig();
  const { stays, alone, started } = await bothOf(rig);
  const steps: Readonly<Record<string, string>>[] = [
    { 'x/a': '1', 'y/z/b': '1' },
    { '.gitattributes': '* text' },
    { 'y/z/.gitattributes': 'b -merge' },
    { 'x/a': '2' },
    { 'y/z/.gitattributes': 'b binary', 'n/e/w/.gitattributes': '* -text' },
  ];
  for (const [n, files] of steps.entries()) {
    const commit = rig.commit(`step ${n}`, files);
    const found = value(await attributeFiles(stays, commit));
    const paths = found.map(({ path }) => path).toSorted();
    const listed = rig.git('ls-tree', '-r', '--name-only', commit).split('\n');
    expect(paths).toEqual(listed.filter((path) => path.endsWith('.gitattributes')).toSorted());
    for (const { blob, path } of found)
      expect(blob).toBe(rig.git('rev-parse', `${commit}:${path}`));
  }
  expect(started().filter((name) => name === 'ls-tree')).toHaveLength(1);
  expect(await attributeFiles(stays, '0'.repeat(40))).toEqual(
    await attributeFiles(alone, '0'.repeat(40)),
  );
});

test('a commit is the same whoever stores it, whatever its author is called and it says', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const tree = rig.git('rev-parse', `${base}^{tree}`);
  const { stays, alone, started } = await bothOf(rig);
  const letter = fc.constantFrom('a', 'Ü', ' ', '.', ',', "'", '"', '<', '>', ':', '\\', '-', '日');
  const name = fc.array(letter, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
  const message = fc.array(fc.constantFrom('a', '\n', 'é', ' ', '# x'), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(name, name, message, async (who, email, words) => {
      const identity = { name: `${who}x`, email: `${email}x` };
      const text = { message: words.join(''), at: AT };
      const content = { tree, parents: [base, base], text };
      const stored = await writeCommit(stays, content, identity);
      expect(stored).toEqual(await writeCommit(alone, content, identity));
    }),
    { numRuns: 40, seed: 20_261_115 },
  );
  expect(started()).not.toContain('commit-tree');
  const refused = { tree, parents: [], text: { message: 'a\0b', at: AT } };
  expect(await writeCommit(stays, refused, { name: 'Ada', email: 'a@b' })).toMatchObject({
    ok: false,
  });
});

test('trees compared by the git that stays differ as those of a git for each, however much there is to tell', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1\n', 'dir/b': 'x\n', bytes: '\0\u0001\u0002' });
  const odd = rig.commit('odd', {
    a: '2\n',
    'a\nb "ü"': 'x',
    bytes: '\0\u0003',
    'dir/b': 'no end',
  });
  const large = rig.commit('large', { much: 'line of text\n'.repeat(80_000) });
  const { stays, alone, started } = await bothOf(rig);
  const options = ['-r', '-z', '--raw', '--numstat', '-p', '--no-renames'];
  const commits = [base, odd, large];
  for (const one of commits) {
    for (const two of commits) {
      const [ours, theirs] = [
        await compare(stays, one, two, options),
        await compare(alone, one, two, options),
      ];
      expect(value(ours).stdout.toString('latin1')).toBe(value(theirs).stdout.toString('latin1'));
    }
  }
  // What is too long for it is asked again; so is what it does not know.
  expect(started().filter((name) => name === 'diff-tree').length).toBe(4);
  expect(value(await compare(stays, base, large, options, 100)).truncated).toBe(true);
  expect((await compare(stays, base, '0'.repeat(40), options)).ok).toBe(false);
});

test('where there is no stdbuf, or one without effect, merges are made one by one', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1\n', b: '1\n' });
  const ours = rig.plant({ a: '2\n', b: '1\n' }, base);
  const theirs = rig.plant({ a: '1\n', b: '2\n' }, base);
  const bin = join(rig.root, 'bin');
  mkdirSync(bin);
  symlinkSync(join(rig.git('--exec-path'), 'git'), join(bin, 'git'));
  const { merges } = await rig.open({ env: { ...rig.env, PATH: bin } });
  const both = await (await rig.open()).merges.mergeTrees(ours, theirs);
  expect(await merges.mergeTrees(ours, theirs)).toEqual(both);
  expect(both.ok).toBe(true);
  writeFileSync(join(bin, 'stdbuf'), '#!/bin/sh\nshift\nexec "$@"\n', { mode: 0o755 });
  symlinkSync('/bin/sh', join(bin, 'sh'));
  const deaf = await rig.open({ env: { ...rig.env, PATH: bin } });
  for (let times = 0; times < 20; times += 1)
    expect(await deaf.merges.mergeTrees(ours, theirs)).toEqual(both);
});

test('commits of an agent are told as git log tells them', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const heads = [base];
  for (const message of [
    'one',
    '\n\n  two  \nmore of it\t\n\nbody',
    'ü'.repeat(300),
    'a\n \nb',
    ' x',
  ])
    heads.push(rig.commit(message, { a: message }));
  const side = rig.plant({ b: '1' }, base);
  heads.push(rig.git('commit-tree', `${side}^{tree}`, '-p', heads[2] ?? '', '-p', side, '-m', 'm'));
  rig.git('config', 'i18n.commitEncoding', 'ISO-8859-1');
  heads.push(rig.commit('latin', { a: 'l' }));
  const { stays, alone, started } = await bothOf(rig);
  const [of, ofAlone] = [stays, alone].map((git) =>
    repositoryFacts(git, gitRunner({ env: rig.env })),
  );
  for (const head of [...heads, '0'.repeat(40)])
    expect(await of?.commitsAhead(base, head)).toEqual(await ofAlone?.commitsAhead(base, head));
  expect(started().filter((name) => name === 'log').length).toBeLessThan(4);
});

test('the default branch and the one checked out are what git says, however they are kept', async () => {
  const rig = makeRig({ branch: 'develop' });
  const base = rig.commit('base', { a: '1' });
  const facts = async () => {
    const { facts: asked } = await rig.open();
    return [value(await asked.describe()).currentBranch, await asked.defaultBranch()];
  };
  expect(await facts()).toEqual(['develop', { ok: true, value: 'develop' }]);
  rig.git('update-ref', 'refs/remotes/up/trunk', base);
  rig.git('symbolic-ref', 'refs/remotes/up/HEAD', 'refs/remotes/up/trunk');
  expect(await facts()).toEqual(['develop', { ok: true, value: 'trunk' }]);
  rig.git('update-ref', 'refs/remotes/origin/日本/main', base);
  rig.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/日本/main');
  rig.git('pack-refs', '--all');
  rig.git('checkout', '--quiet', '--detach');
  expect(await facts()).toEqual([null, { ok: true, value: '日本/main' }]);
});

test('refs are moved by the git that stays only from where they were seen, and a refusal says why', async () => {
  const rig = makeRig();
  const one = rig.commit('one', { a: '1' });
  const two = rig.commit('two', { a: '2' });
  const { stays, started } = await bothOf(rig);
  const branches = branchesOf(stays);
  expect(await branches.create('x/one', one)).toEqual({ ok: true, value: undefined });
  expect(await branches.compareAndSwap('x/one', two, one)).toEqual({ ok: true, value: undefined });
  expect(started()).not.toContain('update-ref');
  expect(rig.git('reflog', 'x/one').split('\n')).toHaveLength(2);
  const moved = await Promise.all([
    branches.compareAndSwap('x/one', one, one),
    branches.create('x/one', one),
    branches.create('x/one/below', one),
    branches.create('x/two', one),
    branches.create('x/three', '1'.repeat(40)),
  ]);
  expect(moved.map((each) => (each.ok ? 'ok' : each.error.kind))).toEqual([
    'ref_moved',
    'name_taken',
    'name_taken',
    'ok',
    'unknown_revision',
  ]);
  expect(rig.git('rev-parse', 'x/one', 'x/two').split('\n')).toEqual([two, one]);
});
