import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { err, ok } from '../../src/lib/result.ts';
import type { AcquireRequest } from '../../src/ports/repository.ts';
import { AT, error, makeRig, value } from './rig.ts';

const asked = (
  owner: string,
  startPoint: string,
  more: Partial<AcquireRequest> = {},
): AcquireRequest => ({
  owner,
  purpose: 'attempt',
  branch: `convoy/日本語/cv1/task/${owner}`,
  startPoint,
  ...more,
});

test('sixteen worktrees asked for at once from two openings of a repository are all different and right', async () => {
  const rig = makeRig();
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}`, `${at}\n`]));
  const base = rig.commit('base', files);
  const [one, two] = [await rig.open(), await rig.open()];
  const got = await Promise.all(
    Array.from({ length: 16 }, (_, at) =>
      (at % 2 === 0 ? one : two).worktrees.acquire(asked(`t${at}`, base)),
    ),
  );
  const worktrees = got.map((result) => value(result));
  expect(new Set(worktrees.map(({ path }) => path)).size).toBe(16);
  for (const { path, branch } of worktrees) {
    expect(rig.gitIn(path, 'symbolic-ref', '--short', 'HEAD')).toBe(branch);
    expect(rig.gitIn(path, 'status', '--porcelain')).toBe('');
    expect(path.startsWith(rig.cache)).toBe(true);
  }
  expect(rig.git('worktree', 'list').split('\n')).toHaveLength(17);
});

test('an agent’s own git works in the worktree with the user’s repository', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const repository = await rig.open();
  const { path } = value(await repository.worktrees.acquire(asked('t', base)));
  writeFileSync(join(path, 'a'), '2');
  rig.gitIn(path, 'commit', '--quiet', '-am', 'agent');
  const head = value(await repository.facts.head('convoy/日本語/cv1/task/t'));
  expect(value(await repository.facts.commitsAhead(base, head ?? ''))).toEqual([
    expect.objectContaining({ commit: head, subject: 'agent', author: 'Ada' }),
  ]);
  expect(rig.gitIn(path, 'rev-parse', '--git-common-dir')).toBe(join(rig.repo, '.git'));
});

test('after a crash the branch’s own commits are what the same owner gets back', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const first = await rig.open();
  const worktree = value(await first.worktrees.acquire(asked('t', base)));
  writeFileSync(join(worktree.path, 'a'), '2');
  rig.gitIn(worktree.path, 'commit', '--quiet', '-am', 'agent');
  const second = await rig.open();
  const found = value(await second.worktrees.find('t'));
  expect(found).toMatchObject({ path: worktree.path, branch: worktree.branch });
  value(await second.worktrees.release('t'));
  const again = value(
    await second.worktrees.acquire(asked('t2', base, { branch: worktree.branch })),
  );
  expect(again.head).toBe(found?.head);
  expect(readFileSync(join(again.path, 'a'), 'utf8')).toBe('2');
});

test('a branch that went elsewhere is refused, not reset', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const other = rig.plant({ a: '9' }, base);
  const start = rig.plant({ a: '2' }, base);
  rig.git('branch', 'convoy/x', other);
  const repository = await rig.open();
  expect(
    error(await repository.worktrees.acquire(asked('t', start, { branch: 'convoy/x' }))),
  ).toEqual({ kind: 'branch_diverged', branch: 'convoy/x', head: other });
  expect(rig.git('rev-parse', 'convoy/x')).toBe(other);
});

test('a branch that the user has checked out is not checked out a second time', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  rig.git('checkout', '--quiet', '-b', 'convoy/x');
  const repository = await rig.open();
  const request = asked('t', base, { branch: 'convoy/x' });
  expect(error(await repository.worktrees.acquire(request))).toMatchObject({ kind: 'name_taken' });
  rig.git('checkout', '--quiet', 'develop');
  value(await repository.worktrees.acquire(request));
});

test('a claim whose making was cut short is made again by its owner', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const repository = await rig.open();
  const worktree = value(await repository.worktrees.acquire(asked('t', base)));
  const home = join(worktree.path, '..');
  const record = join(home, 'slots/wt-1.json');
  const slot = JSON.parse(readFileSync(record, 'utf8'));
  writeFileSync(record, JSON.stringify({ ...slot, state: 'claimed', gitDir: null }));
  rmSync(join(worktree.path, 'a'));
  expect(value(await repository.worktrees.find('t'))).toBeNull();
  const again = value(await repository.worktrees.acquire(asked('t', base)));
  expect(again.path).toBe(worktree.path);
  expect(readFileSync(join(again.path, 'a'), 'utf8')).toBe('1');
  expect(readdirSync(join(rig.repo, '.git/worktrees'))).toEqual(['wt-1']);
});

test('whatever the last user left is gone on reuse: files, merge state, locks, a broken HEAD', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1', '.gitignore': 'dist\n' });
  const repository = await rig.open();
  const { path, gitDir } = value(await repository.worktrees.acquire(asked('t', base)));
  mkdirSync(join(path, 'dist'));
  writeFileSync(join(path, 'dist/x'), 'ignored');
  writeFileSync(join(path, 'new'), 'untracked');
  writeFileSync(join(path, 'a'), 'changed');
  writeFileSync(join(gitDir, 'MERGE_HEAD'), `${base}\n`);
  mkdirSync(join(gitDir, 'rebase-merge'));
  writeFileSync(join(gitDir, 'index.lock'), '');
  writeFileSync(join(gitDir, 'index'), 'not an index');
  writeFileSync(join(gitDir, 'HEAD'), 'nonsense');
  rmSync(join(path, '.git'));
  mkdirSync(join(path, '.git'));
  value(await repository.worktrees.release('t'));
  const next = value(await repository.worktrees.acquire(asked('n', base)));
  expect(next).toMatchObject({ path, reused: true });
  expect(readdirSync(path).toSorted()).toEqual(['.git', '.gitignore', 'a']);
  expect(rig.gitIn(path, 'status', '--porcelain')).toBe('');
  expect(value(await repository.worktrees.state(next))).toBe('clean');
});

test('a verification never gets a directory that an agent used', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const repository = await rig.open();
  const attempt = value(await repository.worktrees.acquire(asked('t', base)));
  value(await repository.worktrees.release('t'));
  const verify = value(
    await repository.worktrees.acquire(asked('v', base, { purpose: 'verify', branch: null })),
  );
  expect(verify).toMatchObject({ reused: false, branch: null });
  expect(verify.path).not.toBe(attempt.path);
  expect(rig.gitIn(verify.path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
});

test('set-up runs once per lockfile content and its result survives reuse', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { lock: '1', '.gitignore': 'node_modules\n' });
  const newer = rig.plant({ lock: '2', '.gitignore': 'node_modules\n' }, base);
  const repository = await rig.open();
  const setup = { command: ['npm', 'install'], lockfiles: ['lock', 'absent.lock'] };
  const runs: string[] = [];
  const run = async (command: readonly string[], directory: string) => {
    runs.push(command.join(' '));
    mkdirSync(join(directory, 'node_modules'), { recursive: true });
    writeFileSync(join(directory, 'node_modules', `from-run-${runs.length}`), '');
    return ok(undefined);
  };
  const use = async (owner: string, at: string) => {
    const worktree = value(
      await repository.worktrees.acquire(asked(owner, at, { keep: ['node_modules'] })),
    );
    const { cached } = value(await repository.worktrees.prepare(worktree, setup, run));
    const modules = readdirSync(join(worktree.path, 'node_modules'));
    value(await repository.worktrees.release(owner));
    return { cached, modules };
  };
  expect(await use('a', base)).toEqual({ cached: false, modules: ['from-run-1'] });
  expect(await use('b', base)).toEqual({ cached: true, modules: ['from-run-1'] });
  expect(await use('c', newer)).toEqual({ cached: false, modules: ['from-run-2'] });
  const failing = value(
    await repository.worktrees.acquire(asked('d', base, { keep: ['node_modules'] })),
  );
  expect(
    error(await repository.worktrees.prepare(failing, setup, async () => err({ detail: 'boom' }))),
  ).toEqual({ kind: 'setup_failed', detail: 'boom' });
  expect(value(await repository.worktrees.prepare(failing, setup, run)).cached).toBe(false);
});

test('prune removes what nobody owns, keeps what is owned and never touches the user’s worktrees', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const users = join(rig.root, 'users');
  rig.git('worktree', 'add', '--quiet', '-b', 'users', users);
  const away = join(rig.root, 'away');
  rig.git('worktree', 'add', '--quiet', '-b', 'away', away);
  rmSync(away, { recursive: true });
  const repository = await rig.open({ spare: 0 });
  const kept = value(await repository.worktrees.acquire(asked('kept', base)));
  const lost = value(await repository.worktrees.acquire(asked('lost', base)));
  const free = value(await repository.worktrees.acquire(asked('free', base)));
  value(await repository.worktrees.release('free'));
  expect(value(await repository.worktrees.prune(['kept'])).toSorted()).toEqual(
    [lost.path, free.path].toSorted(),
  );
  expect(existsSync(lost.path)).toBe(false);
  expect(existsSync(kept.path)).toBe(true);
  expect(readdirSync(join(rig.repo, '.git/worktrees')).toSorted()).toEqual(
    ['away', 'users', kept.gitDir.split('/').at(-1) ?? ''].toSorted(),
  );
  expect(rig.git('rev-parse', 'convoy/日本語/cv1/task/lost')).toBe(base);
});

test('GT-138: dirty work is committed on the attempt’s branch, without what is ignored', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1', gone: 'x', '.gitignore': 'dist\n' });
  const repository = await rig.open();
  const worktree = value(await repository.worktrees.acquire(asked('t', base)));
  const { path, gitDir, branch } = worktree;
  writeFileSync(join(path, 'a'), '2');
  rmSync(join(path, 'gone'));
  mkdirSync(join(path, 'dist'));
  writeFileSync(join(path, 'dist/built'), 'x');
  writeFileSync(join(path, 'dist/forced'), 'x');
  rig.gitIn(path, 'add', '--force', 'dist/forced');
  writeFileSync(join(path, 'new'), 'n');
  // A lock in the way and flags that hide changes must not lose work.
  rig.gitIn(path, 'update-index', '--assume-unchanged', 'a');
  writeFileSync(join(gitDir, 'index.lock'), '');
  const saved = value(await repository.worktrees.rescue(worktree, { message: 'wip: t', at: AT }));
  expect(saved).toMatchObject({ saved: true, ref: `refs/heads/${branch}`, state: 'dirty' });
  const head = rig.git('rev-parse', branch ?? '');
  expect(rig.git('ls-tree', '-r', '--name-only', head).split('\n')).toEqual([
    '.gitignore',
    'a',
    'dist/forced',
    'new',
  ]);
  expect(rig.git('log', '-1', '--format=%s %an %at', head)).toBe(`wip: t Ada ${AT / 1000}`);
  expect(existsSync(join(gitDir, 'index.lock'))).toBe(true);
  rmSync(join(gitDir, 'index.lock'));
  expect(value(await repository.worktrees.rescue(worktree, { message: 'again', at: AT }))).toEqual({
    saved: false,
    head,
  });
});

test('work in the middle of a conflicted merge or a rebase is rescued too', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1\n' });
  rig.git('branch', 'other', rig.plant({ a: 'theirs\n' }, base));
  const repository = await rig.open();
  const text = { message: 'wip', at: AT };
  const merging = value(await repository.worktrees.acquire(asked('m', base)));
  const rebasing = value(await repository.worktrees.acquire(asked('r', base)));
  for (const { path } of [merging, rebasing]) {
    writeFileSync(join(path, 'a'), 'ours\n');
    rig.gitIn(path, 'commit', '--quiet', '-am', 'ours');
  }
  expect(() => rig.gitIn(merging.path, 'merge', 'other')).toThrow('Command failed');
  expect(() => rig.gitIn(rebasing.path, 'rebase', 'other')).toThrow('Command failed');
  expect(value(await repository.worktrees.state(merging))).toBe('merging');
  expect(value(await repository.worktrees.state(rebasing))).toBe('rebasing');
  const one = value(await repository.worktrees.rescue(merging, text));
  expect(one).toMatchObject({ saved: true, state: 'merging', ref: `refs/heads/${merging.branch}` });
  expect(rig.git('show', `${merging.branch}:a`)).toContain('<<<<<<<');
  const before = rig.git('rev-parse', rebasing.branch ?? '');
  const two = value(await repository.worktrees.rescue(rebasing, text));
  if (!two.saved) throw new Error('nothing was saved');
  expect(two).toMatchObject({ state: 'rebasing', ref: `refs/convoy/rescued/${two.commit}` });
  expect(rig.git('rev-parse', rebasing.branch ?? '')).toBe(before);
  expect(rig.git('rev-parse', two.ref)).toBe(two.commit);
});

test('commits made away from the attempt’s branch are not lost', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const repository = await rig.open();
  const worktree = value(await repository.worktrees.acquire(asked('t', base)));
  rig.gitIn(worktree.path, 'checkout', '--quiet', '--detach');
  writeFileSync(join(worktree.path, 'a'), '2');
  rig.gitIn(worktree.path, 'commit', '--quiet', '-am', 'detached');
  const commit = rig.gitIn(worktree.path, 'rev-parse', 'HEAD');
  const saved = value(await repository.worktrees.rescue(worktree, { message: 'wip', at: AT }));
  expect(saved).toMatchObject({ saved: true, commit, ref: `refs/heads/${worktree.branch}` });
  expect(rig.git('rev-parse', worktree.branch ?? '')).toBe(commit);
});

test('a worktree made ready ahead is lent as it is, on its own branch, and only for its commit', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1', '.gitignore': 'dist\n' });
  const next = rig.commit('next', { a: '2', b: '2' });
  const repository = await rig.open();
  const before = value(await repository.worktrees.acquire(asked('before', base)));
  writeFileSync(join(before.path, 'left'), 'by the last user');
  value(await repository.worktrees.release('before'));
  value(await repository.worktrees.warm(next, 2));
  value(await repository.worktrees.warm(next, 2));
  expect(value(await repository.worktrees.list())).toEqual([]);
  expect(rig.git('worktree', 'list').split('\n')).toHaveLength(3);

  const one = value(await repository.worktrees.acquire(asked('one', next)));
  const other = value(await repository.worktrees.acquire(asked('other', base)));
  for (const [{ path, branch }, content] of [
    [one, '2'],
    [other, '1'],
  ] as const) {
    expect(rig.gitIn(path, 'symbolic-ref', '--short', 'HEAD')).toBe(branch);
    expect(rig.gitIn(path, 'status', '--porcelain', '--ignored')).toBe('');
    expect(readFileSync(join(path, 'a'), 'utf8')).toBe(content);
  }
  expect(one.head).toBe(next);
  expect(existsSync(join(one.path, 'left'))).toBe(false);
  // Both were there already; nothing new had to be made.
  expect(rig.git('worktree', 'list').split('\n')).toHaveLength(3);
});

test('what a process that died was making ready is made ready by the next', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const repository = await rig.open();
  value(await repository.worktrees.warm(base, 1));
  const [home = ''] = readdirSync(rig.cache);
  const record = join(rig.cache, home, 'slots', 'wt-1.json');
  const slot: unknown = JSON.parse(readFileSync(record, 'utf8'));
  const dead = { state: 'claimed', owner: 'warm-999999999-1', at: null };
  writeFileSync(record, JSON.stringify(Object.assign({}, slot, dead)));
  value(await repository.worktrees.warm(base, 1));
  expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ state: 'free', at: base });
  expect(rig.git('worktree', 'list').split('\n')).toHaveLength(2);
});

test('an attempt that cannot begin leaves its place to others', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const repository = await rig.open();
  const nowhere = asked('one', '0'.repeat(40));
  expect(error(await repository.worktrees.acquire(nowhere))).toMatchObject({
    kind: 'unknown_revision',
  });
  expect(value(await repository.worktrees.find('one'))).toBeNull();
  const two = value(await repository.worktrees.acquire(asked('two', base)));
  expect(two.path.endsWith('wt-1')).toBe(true);
});

test('git knows our worktrees as its own, beside those of the user with the same names', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  rig.git('worktree', 'add', '--quiet', '--detach', join(rig.root, 'other', 'wt-1'), base);
  const { worktrees } = await rig.open();
  const ours = value(
    await worktrees.acquire({ owner: 'a', purpose: 'attempt', branch: 'x/a', startPoint: base }),
  );
  const listed = rig.git('worktree', 'list', '--porcelain');
  expect(listed).toContain(`worktree ${ours.path}\nHEAD ${base}\nbranch refs/heads/x/a\n`);
  expect(listed).not.toContain('prunable');
  rig.git('worktree', 'prune');
  rig.git('fsck', '--strict');
  // A commit that only this worktree's HEAD names is not cleared away.
  rig.gitIn(ours.path, 'checkout', '--quiet', '--detach');
  rig.gitIn(ours.path, 'commit', '--quiet', '--allow-empty', '-m', 'only here');
  const only = rig.gitIn(ours.path, 'rev-parse', 'HEAD');
  rig.git('gc', '--prune=now', '--quiet');
  expect(rig.git('cat-file', '-t', only)).toBe('commit');
  rig.git('worktree', 'remove', '--force', ours.path);
  expect(rig.git('worktree', 'list')).not.toContain(ours.path);
});

test('work that nobody staged is rescued the same, in a fresh worktree and in one made ready ahead', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1', gone: 'x', 'd/e': '1', '.gitignore': 'dist\n' });
  const repository = await rig.open();
  value(await repository.worktrees.warm(base, 1));
  for (const owner of ['ahead', 'fresh']) {
    const worktree = value(await repository.worktrees.acquire(asked(owner, base)));
    const { path, branch } = worktree;
    const again = await repository.worktrees.rescue(worktree, { message: 'none', at: AT });
    expect(value(again)).toEqual({ saved: false, head: base });
    writeFileSync(join(path, 'a'), '2');
    rmSync(join(path, 'gone'));
    mkdirSync(join(path, 'dist'));
    writeFileSync(join(path, 'dist/built'), 'x');
    writeFileSync(join(path, 'd/new'), 'n');
    value(await repository.worktrees.rescue(worktree, { message: 'wip', at: AT }));
    expect(rig.git('diff', '--name-status', base, branch ?? '').split('\n')).toEqual([
      'M\ta',
      'A\td/new',
      'D\tgone',
    ]);
  }
});
