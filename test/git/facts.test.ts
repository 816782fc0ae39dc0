import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRepository } from '../../src/adapters/git/open.ts';
import { error, makeRig, value } from './rig.ts';

test('KG-49: the default branch is what the remote says, then what the checkout is on', async () => {
  const rig = makeRig({ branch: 'develop' });
  const base = rig.commit('base', { a: '1' });
  const repository = await rig.open();
  expect(value(await repository.facts.defaultBranch())).toBe('develop');
  rig.git('update-ref', 'refs/remotes/origin/release/next', base);
  rig.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/release/next');
  expect(value(await repository.facts.defaultBranch())).toBe('release/next');
});

test('a detached checkout or one on a branch of ours does not decide the default branch', async () => {
  const rig = makeRig({ branch: 'develop' });
  rig.commit('base', { a: '1' });
  const repository = await rig.open();
  rig.git('checkout', '--quiet', '--detach');
  expect(value(await repository.facts.defaultBranch())).toBe('develop');
  rig.git('checkout', '--quiet', '-b', 'convoy/x/cv1/head');
  expect(value(await repository.facts.defaultBranch())).toBe('develop');
  rig.git('branch', 'other');
  expect(error(await repository.facts.defaultBranch())).toEqual({ kind: 'no_default_branch' });
  rig.git('config', '--global', 'init.defaultBranch', 'other');
  expect(value(await repository.facts.defaultBranch())).toBe('other');
});

test('a repository without a commit is described, not an error', async () => {
  const rig = makeRig({ branch: 'trunk' });
  const repository = await rig.open();
  expect(value(await repository.facts.describe())).toEqual({
    bare: false,
    workTree: rig.repo,
    gitDir: join(rig.repo, '.git'),
    born: false,
    currentBranch: 'trunk',
    remotes: [],
    submodules: false,
  });
  expect(value(await repository.facts.defaultBranch())).toBe('trunk');
  expect(value(await repository.facts.head('trunk'))).toBeNull();
  expect(error(await repository.facts.resolve('HEAD'))).toMatchObject({ kind: 'unknown_revision' });
});

test('a repository is found from a folder, a linked worktree, inside .git and when bare', async () => {
  const rig = makeRig();
  rig.commit('base', { 'deep/er/file': '1' });
  const linked = join(rig.root, 'linked');
  rig.git('worktree', 'add', '--quiet', '-b', 'side', linked);
  const bare = join(rig.root, 'bare.git');
  rig.gitIn(rig.root, 'clone', '--quiet', '--bare', rig.repo, bare);
  const described = async (path: string) =>
    value(await (await rig.open({ path })).facts.describe());
  expect(await described(join(rig.repo, 'deep/er'))).toMatchObject({ workTree: rig.repo });
  expect(await described(join(rig.repo, '.git/refs'))).toMatchObject({ workTree: rig.repo });
  expect(await described(linked)).toMatchObject({ workTree: linked, currentBranch: 'side' });
  expect(await described(bare)).toMatchObject({ bare: true, workTree: null });
  const options = { path: rig.root, cacheDir: rig.cache, env: rig.env };
  expect(error(await openRepository(options))).toEqual({
    kind: 'not_a_repository',
    path: rig.root,
  });
  expect(error(await openRepository({ ...options, path: join(rig.root, 'none') }))).toMatchObject({
    kind: 'not_a_repository',
  });
});

test('remotes are listed from the config as data', async () => {
  const rig = makeRig();
  rig.git('remote', 'add', 'origin', 'https://example.org/a.git');
  rig.git('remote', 'add', 'with.dot', '/somewhere/b.git');
  const { facts } = await rig.open();
  expect(value(await facts.describe()).remotes).toEqual([
    { name: 'origin', url: 'https://example.org/a.git' },
    { name: 'with.dot', url: '/somewhere/b.git' },
  ]);
});

test('changed paths and the diff are what the branch did, binary and odd files included', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1\n', b: '1\n', link: 'x' });
  rig.git('checkout', '--quiet', '-b', 'topic');
  rig.write('image', Buffer.from([0, 1, 2, 255]));
  rig.git('rm', '--quiet', 'b');
  const head = rig.commit('topic', { a: '1\n2\n', 'tab\tand\nnewline': 'x\n' });
  rig.git('checkout', '--quiet', 'develop');
  const moved = rig.commit('meanwhile', { unrelated: '1\n' });
  const { facts } = await rig.open();
  const paths = value(await facts.changedPaths(moved, head));
  const plain = { sort: 'file' } as const;
  expect(paths.toSorted((x, y) => (x.path < y.path ? -1 : 1))).toEqual([
    { path: 'a', change: 'modified', added: 1, removed: 0, ...plain },
    { path: 'b', change: 'deleted', added: 0, removed: 1, ...plain },
    { path: 'image', change: 'added', added: null, removed: null, ...plain },
    { path: 'tab\tand\nnewline', change: 'added', added: 1, removed: 0, ...plain },
  ]);
  const whole = value(await facts.diff(base, head));
  expect(whole).toMatchObject({ truncated: false });
  expect(whole.text).toContain('Binary files /dev/null and b/image differ');
  const cut = value(await facts.diff(base, head, { bytes: 50 }));
  expect(cut).toEqual({ text: whole.text.slice(0, 50), truncated: true });
  expect(value(await facts.mergeBase(moved, head))).toBe(base);
  expect(value(await facts.commitsAhead(moved, head)).map(({ subject }) => subject)).toEqual([
    'topic',
  ]);
});

test('secrets, size and places speak against a submission by file, line and rule', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1\n' });
  const key = `AKIA${'ABCDEFGH'.repeat(2)}`;
  const head = rig.commit('leak', { 'src/config.ts': `one\nkey = ${key}\n`, b: '1\n2\n3\n' });
  const { facts } = await rig.open();
  expect(value(await facts.objections(base, head, { allowedPaths: ['src/'], lines: 4 }))).toEqual([
    { kind: 'too_many_lines', lines: 5, most: 4 },
    { kind: 'outside_allowed_paths', paths: ['b'] },
    { kind: 'secrets', findings: [{ file: 'src/config.ts', line: 2, rule: 'aws-access-key' }] },
  ]);
  expect(value(await facts.objections(base, base))).toEqual([]);
});

test('a repository whose config cannot be read gives no answer instead of a wrong one', async () => {
  const rig = makeRig();
  writeFileSync(join(rig.repo, '.git/config'), '[core\nbroken');
  const opened = await openRepository({ path: rig.repo, cacheDir: rig.cache, env: rig.env });
  expect(error(opened)).toMatchObject({ kind: 'errored', reason: 'git_failed' });
});

test('a branch is where git says, whether it has a file of its own, is packed, points to another or is gone', async () => {
  const rig = makeRig({ branch: 'develop' });
  const base = rig.commit('base', { a: '1' });
  const next = rig.commit('next', { a: '2' });
  const { facts } = await rig.open();
  rig.git('branch', 'packed', base);
  rig.git('pack-refs', '--all');
  rig.git('branch', 'loose', base);
  rig.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/loose');
  expect(value(await facts.head('develop'))).toBe(next);
  expect(value(await facts.head('packed'))).toBe(base);
  expect(value(await facts.head('loose'))).toBe(base);
  expect(value(await facts.head('alias'))).toBe(base);
  expect(value(await facts.head('gone'))).toBeNull();
  expect(value(await facts.head('../../HEAD'))).toBeNull();
  // A branch that only looks like the asked one does not answer for it.
  rig.git('update-ref', 'refs/heads/refs/heads/gone', base);
  expect(value(await facts.head('gone'))).toBeNull();
  rig.git('branch', '-f', 'packed', next);
  expect(value(await facts.head('packed'))).toBe(next);
});

test('objects that appear while git is being asked are found, and ancestors near and far are told', async () => {
  const rig = makeRig({ branch: 'develop' });
  const first = rig.commit('base', { a: '0' });
  const { facts } = await rig.open();
  expect(value(await facts.treeOf(first))).toBe(rig.git('rev-parse', `${first}^{tree}`));
  expect(error(await facts.treeOf('1'.repeat(40)))).toMatchObject({ kind: 'unknown_revision' });
  const commits = Array.from({ length: 30 }, (_, n) => rig.commit(`c${n}`, { a: `${n + 1}` }));
  const last = commits.at(-1) ?? '';
  expect(value(await facts.treeOf(last))).toBe(rig.git('rev-parse', `${last}^{tree}`));
  for (const near of [last, commits.at(-3) ?? '', first])
    expect(value(await facts.isAncestor(near, last))).toBe(true);
  expect(value(await facts.isAncestor(last, first))).toBe(false);
  const aside = rig.plant({ a: 'x' }, first);
  expect(value(await facts.isAncestor(aside, last))).toBe(false);
  expect(value(await facts.mergeBase(aside, last))).toBe(first);
  rig.git('gc', '--quiet');
  expect(value(await facts.treeOf(first))).toBe(rig.git('rev-parse', `${first}^{tree}`));
});
