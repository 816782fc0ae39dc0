import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AT, error, makeRig, value, type Rig } from './rig.ts';

const request = (owner: string, startPoint: string) =>
  ({
    owner,
    purpose: 'attempt',
    branch: `convoy/x/cv1/task/${owner}`,
    startPoint,
  }) as const;

test('a repository whose configuration and hooks name programs gets none of them run', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { 'a.evil': 'one\n', 'b.txt': 'b\n' });
  const target = rig.commit('target', { 'a.evil': 'one\ntwo\n' });
  const source = rig.plant({ 'a.evil': 'zero\none\n', 'b.txt': 'c\n' }, base);
  const bomb = poison(rig);
  const repository = await rig.open();
  await exerciseEverything(rig, repository, { base, target, source });
  expect(bomb.fired()).toEqual([]);
});

test('the traps of the hostile repository do work when git is run plainly', () => {
  const rig = makeRig();
  rig.commit('base', { 'a.evil': 'one\n' });
  const bomb = poison(rig);
  rig.write('a.evil', 'changed\n');
  rig.git('add', '--all');
  rig.git('diff', '--cached');
  rig.git('-c', 'commit.gpgSign=false', 'commit', '--quiet', '-m', 'x');
  expect(bomb.fired()).toEqual(
    expect.arrayContaining([
      'diff-command',
      'filter-clean',
      'filter-smudge',
      'fsmonitor',
      'hook-pre-commit',
    ]),
  );
});

test('a repository nested in a worktree is not entered when its work is rescued', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const repository = await rig.open();
  const worktree = value(await repository.worktrees.acquire(request('w', base)));
  const nested = join(worktree.path, 'nested');
  rig.gitIn(worktree.path, 'init', '--quiet', nested);
  writeFileSync(join(nested, 'f'), 'f');
  rig.gitIn(nested, 'add', 'f');
  rig.gitIn(nested, 'commit', '--quiet', '-m', 'inner');
  const log = join(rig.root, 'fired');
  rig.gitIn(nested, 'config', 'core.fsmonitor', `touch ${log}; false`);
  rig.gitIn(nested, 'config', 'filter.evil.clean', `touch ${log}; cat`);
  writeFileSync(join(nested, '.gitattributes'), '* filter=evil\n');
  writeFileSync(join(nested, 'f'), 'g');
  writeFileSync(join(worktree.path, 'work'), 'mine');
  expect(value(await repository.worktrees.state(worktree))).toBe('dirty');
  const saved = value(await repository.worktrees.rescue(worktree, { message: 'wip', at: AT }));
  expect(saved).toMatchObject({ saved: true, skipped: ['nested/'] });
  value(await repository.worktrees.release('w'));
  const next = value(await repository.worktrees.acquire(request('next', base)));
  expect(readdirSync(next.path).toSorted()).toEqual(['.git', 'a']);
  expect(existsSync(log)).toBe(false);
});

test('odd names, links out of the tree and a submodule by file pass through unharmed', async () => {
  const rig = makeRig();
  const outside = join(rig.root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), 'precious');
  rig.write('-rf', 'dash');
  rig.write('two\nlines', 'newline');
  rig.write(':(top)magic*', 'magic');
  rig.write('日本語', 'kanji');
  symlinkSync(outside, join(rig.repo, 'way-out'));
  rig.write(
    '.gitmodules',
    `[submodule "s"]\n\tpath = s\n\turl = ${rig.repo}\n\tupdate = !touch ${rig.root}/fired\n`,
  );
  const head = rig.commit('odd');
  rig.git('update-index', '--add', '--cacheinfo', `160000,${head},s`);
  rig.git('commit', '--quiet', '-m', 'submodule');
  const base = rig.git('rev-parse', 'HEAD');
  const repository = await rig.open();
  expect(value(await repository.facts.describe()).submodules).toBe(true);
  const worktree = value(await repository.worktrees.acquire(request('w', base)));
  for (const name of ['-rf', 'two\nlines', ':(top)magic*', '日本語']) {
    writeFileSync(join(worktree.path, name), 'changed');
  }
  writeFileSync(join(worktree.path, '--upload-pack=touch fired'), 'new');
  const saved = value(await repository.worktrees.rescue(worktree, { message: 'wip', at: AT }));
  if (!saved.saved) throw new Error('nothing was saved');
  const changed = value(await repository.facts.changedPaths(base, saved.commit));
  expect(changed.map(({ path }) => path).toSorted()).toEqual(
    ['--upload-pack=touch fired', '-rf', 'two\nlines', ':(top)magic*', '日本語'].toSorted(),
  );
  value(await repository.worktrees.release('w'));
  value(await repository.worktrees.acquire(request('again', base)));
  expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('precious');
  expect(existsSync(join(rig.root, 'fired'))).toBe(false);
});

test('a worktree swapped for a link is made anew and what the link led to is left alone', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const repository = await rig.open();
  const worktree = value(await repository.worktrees.acquire(request('w', base)));
  const precious = join(rig.root, 'precious');
  mkdirSync(precious);
  writeFileSync(join(precious, 'file'), 'keep me');
  renameSync(worktree.path, `${worktree.path}-moved`);
  symlinkSync(precious, worktree.path);
  value(await repository.worktrees.release('w'));
  const next = value(await repository.worktrees.acquire(request('n', base)));
  expect(readFileSync(join(next.path, 'a'), 'utf8')).toBe('1');
  expect(readdirSync(precious)).toEqual(['file']);
});

test('a lying index does not carry one attempt’s files into the next', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: 'true\n', b: 'true\n' });
  const repository = await rig.open();
  const worktree = value(await repository.worktrees.acquire(request('w', base)));
  rig.gitIn(worktree.path, 'update-index', '--assume-unchanged', 'a');
  rig.gitIn(worktree.path, 'update-index', '--skip-worktree', 'b');
  writeFileSync(join(worktree.path, 'a'), 'lies\n');
  writeFileSync(join(worktree.path, 'b'), 'lies\n');
  value(await repository.worktrees.release('w'));
  const next = value(await repository.worktrees.acquire(request('n', base)));
  expect(next.path).toBe(worktree.path);
  expect(readFileSync(join(next.path, 'a'), 'utf8')).toBe('true\n');
  expect(readFileSync(join(next.path, 'b'), 'utf8')).toBe('true\n');
});

test('replaced objects and grafts cannot make an unmerged commit look landed', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const target = rig.commit('target', { a: '2' });
  const other = rig.plant({ a: '3' }, base);
  const fake = rig.plant({ a: '2' }, base, other);
  rig.git('replace', target, fake);
  writeFileSync(join(rig.repo, '.git/info/grafts'), `${target} ${base} ${other}\n`);
  const repository = await rig.open();
  expect(value(await repository.facts.isAncestor(other, target))).toBe(false);
});

test.each(['ext::sh -c "touch fired"', '--upload-pack=touch fired', 'fd::3', '', 'a::b'])(
  'the address %j is refused before git sees it',
  async (url) => {
    const rig = makeRig();
    const base = rig.commit('base', { a: '1' });
    const repository = await rig.open();
    const invalid = { kind: 'invalid_url', url };
    expect(error(await repository.remote.fetch(url, 'x'))).toEqual(invalid);
    expect(
      error(await repository.remote.push({ url, branch: 'x', commit: base, expected: null })),
    ).toEqual(invalid);
  },
);

type Bomb = { fired(): string[] };

/** Fills configuration, hooks and attributes with commands that leave a trace. */
function poison(rig: Rig): Bomb {
  const traces = join(rig.root, 'traces');
  mkdirSync(traces);
  const trap = (name: string): string => `touch ${join(traces, name)}; cat 2>/dev/null; true`;
  const settings: Record<string, string> = {
    'core.fsmonitor': `touch ${join(traces, 'fsmonitor')}; false #`,
    'core.sshCommand': trap('ssh'),
    'core.editor': trap('editor'),
    'core.pager': trap('pager'),
    'core.askPass': trap('askpass'),
    'core.gitProxy': trap('proxy'),
    'core.hooksPath': join(rig.repo, '.git/hooks'),
    'sequence.editor': trap('sequence-editor'),
    'filter.evil.clean': trap('filter-clean'),
    'filter.evil.smudge': trap('filter-smudge'),
    'filter.evil.required': 'true',
    'diff.evil.textconv': trap('textconv'),
    'diff.evil.command': trap('diff-command'),
    'diff.external': trap('diff-external'),
    'merge.evil.driver': trap('merge-driver'),
    'alias.status': `!${trap('alias')}`,
    'alias.mergetree': `!${trap('alias')}`,
    'credential.helper': `!${trap('credential')}`,
    'gpg.program': trap('gpg'),
    'commit.gpgSign': 'true',
    'remote.origin.url': `ext::${trap('remote')}`,
    'remote.origin.uploadpack': trap('upload-pack'),
    'url.ext::false.insteadOf': 'http://',
    'uploadpack.packObjectsHook': trap('pack-objects'),
    'trailer.evil.command': trap('trailer'),
    'interactive.diffFilter': trap('diff-filter'),
    'submodule.s.update': `!${trap('submodule')}`,
  };
  for (const [key, text] of Object.entries(settings)) rig.git('config', key, text);
  const included = join(rig.root, 'included');
  writeFileSync(included, `[filter "other"]\n\tclean = "${join(traces, 'x')}"\n`);
  rig.git('config', 'include.path', included);
  writeFileSync(
    join(rig.repo, '.git/info/attributes'),
    '*.evil filter=evil diff=evil merge=evil\n',
  );
  for (const hook of HOOKS) {
    const file = join(rig.repo, '.git/hooks', hook);
    mkdirSync(join(rig.repo, '.git/hooks'), { recursive: true });
    writeFileSync(file, `#!/bin/sh\ntouch ${join(traces, `hook-${hook}`)}\n`);
    chmodSync(file, 0o755);
  }
  return { fired: () => readdirSync(traces).toSorted() };
}

const HOOKS = [
  'post-checkout',
  'pre-commit',
  'commit-msg',
  'prepare-commit-msg',
  'post-commit',
  'post-index-change',
  'reference-transaction',
  'pre-push',
  'post-merge',
  'pre-merge-commit',
  'pre-rebase',
  'post-rewrite',
  'pre-auto-gc',
];

async function exerciseEverything(
  rig: Rig,
  repository: Awaited<ReturnType<Rig['open']>>,
  { base, target, source }: Record<'base' | 'target' | 'source', string>,
): Promise<void> {
  const { facts, branches, worktrees, merges, landing, remote } = repository;
  const text = { message: 'm', at: AT };
  value(await facts.describe());
  value(await facts.defaultBranch());
  value(await facts.commitsAhead(base, source));
  value(await facts.changedPaths(base, source));
  expect(value(await facts.diff(base, source)).text).toContain('+zero');
  value(await facts.objections(base, source));
  value(await branches.create('convoy/x', base));
  value(await branches.remove('convoy/x', base));
  const worktree = value(await worktrees.acquire(request('w', base)));
  expect(readFileSync(join(worktree.path, 'a.evil'), 'utf8')).toBe('one\n');
  writeFileSync(join(worktree.path, 'a.evil'), 'one\nagent\n');
  value(await worktrees.state(worktree));
  expect(value(await worktrees.rescue(worktree, text)).saved).toBe(true);
  value(await worktrees.release('w'));
  value(await worktrees.acquire(request('v', base)));
  for (const strategy of ['squash', 'rebase', 'merge'] as const) {
    const built = value(await merges.build(strategy, target, source, text));
    expect(built.contained).toBe(false);
    if (strategy !== 'merge') continue;
    value(await landing.advance('develop', built.commit, target));
    expect(readFileSync(join(rig.repo, 'a.evil'), 'utf8')).toBe('zero\none\ntwo\n');
    expect(value(await landing.prove(built.commit, 'develop', source, built.tree)).holds).toBe(
      true,
    );
  }
  value(await landing.heal());
  const bare = join(rig.root, 'remote.git');
  rig.gitIn(rig.root, 'init', '--quiet', '--bare', bare);
  value(await remote.push({ url: bare, branch: 'x', commit: source, expected: null }));
  value(await remote.fetch(bare, 'x'));
  value(await remote.head(bare, 'x'));
  expect(error(await remote.fetch('http://127.0.0.1:1/x', 'x'))).toMatchObject({
    kind: 'errored',
    reason: 'remote_down',
  });
  value(await worktrees.prune([]));
}
