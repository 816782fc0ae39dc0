import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { approve, listApprovals } from '../../src/contract/routes/approvals.ts';
import { addToConvoy, createConvoy, showConvoy } from '../../src/contract/routes/convoys.ts';
import { listQueue } from '../../src/contract/routes/queue.ts';
import { engineRig, type EngineRig } from '../engine/rig.ts';
import { serveGit } from '../fakes/git-http.ts';

/** Every recorded landing, held against git by a script that shares nothing with the product. */
function proved(rig: EngineRig): { ok: boolean; repos: string[] } {
  const script = resolve('scripts/check-landings.mjs');
  const out = execFileSync(process.execPath, [script, rig.root, '--json'], {
    encoding: 'utf8',
    env: rig.env,
  });
  const { ok, landings } = JSON.parse(out);
  const repos = landings.map(({ repo }: { repo: string }) => repo);
  return { ok, repos: [...new Set<string>(repos)].toSorted() };
}

test('two changes that are green alone and red together: one lands, the other does not', async () => {
  const rig = await engineRig({
    gates: [{ name: 'test', run: 'test ! -e work/a.txt || test ! -e work/b.txt' }],
    repo: { slots: 2, merge_mode: 'review-and-merge' },
    workspace: { attempts: 1 },
    scripts: [{ steps: [{ do: 'write', path: 'work/{title}.txt', content: 'x' }, { do: 'lie' }] }],
  });
  const tasks = [await rig.task('a'), await rig.task('b')];
  const convoy = await rig.launch(...tasks);
  rig.start();
  const stalled = await rig.settled(convoy, 'stalled');
  expect(stalled.progress).toMatchObject({ merged: 1, failed: 1 });
  const states = (await rig.changes(convoy)).map(({ status }) => status).toSorted();
  expect(states).toEqual(['merged', 'red']);
  expect(rig.git('ls-tree', '-r', '--name-only', 'main', 'work').split('\n')).toHaveLength(1);
  expect(proved(rig)).toEqual({ ok: true, repos: ['main'] });
});

test('GT-164 a gate whose command is missing pauses the queue, which names it', async () => {
  const rig = await engineRig({ gates: [{ name: 'unit', run: ['no-such-tool-here', '--all'] }] });
  const before = rig.git('rev-parse', 'main');
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  const stalled = await rig.settled(convoy, 'stalled');
  const list = await rig.call(listQueue, { query: {} });
  expect(list.paused).toBe(true);
  expect(list.reason).toBe('gate unit is broken: `no-such-tool-here --all` was not found');
  expect(stalled.reason).toContain('no-such-tool-here');
  expect(rig.git('rev-parse', 'main')).toBe(before);
});

test('somebody pushes to the target while a landing is verified: it is verified again on top', async () => {
  const rig = await engineRig({
    gates: [
      { name: 'quick', run: ['true'], phase: 'change' },
      {
        name: 'theirs',
        phase: 'landing',
        // The first time, somebody else's commit reaches the remote while we look.
        run: 'ls > "$HOME/seen-$(ls "$HOME" | grep -c seen)"; if [ ! -e "$HOME/pushed" ]; then touch "$HOME/pushed"; cd "$HOME/../remote.git"; b=$(echo theirs | git hash-object -w --stdin); t=$(printf "100644 blob %s\\ttheirs.txt\\n" "$b" | cat - "$HOME/tree" | git mktree); c=$(git -c user.name=Eve -c user.email=eve@example.org commit-tree "$t" -p main -m theirs); git update-ref refs/heads/main "$c"; fi',
      },
    ],
  });
  const bare = rig.path('remote.git');
  execFileSync('git', ['init', '--quiet', '--bare', '-b', 'main', bare]);
  execFileSync('git', ['config', 'http.receivepack', 'true'], { cwd: bare });
  const server = await serveGit(rig.root);
  onTestFinished(() => server.close());
  rig.git('remote', 'add', 'origin', `${server.url}/remote.git`);
  rig.git('push', '--quiet', bare, 'main');
  writeFileSync(rig.path('home', 'tree'), `${rig.git('ls-tree', 'main')}\n`);
  const task = await rig.task('One');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  const at = (...args: string[]): string =>
    execFileSync('git', args, { cwd: bare, encoding: 'utf8' }).trim();
  expect(at('rev-parse', 'main')).toBe(rig.git('rev-parse', 'main'));
  expect(at('show', 'main:theirs.txt')).toBe('theirs');
  expect(at('show', `main:work/${task}.txt`)).toBe('One');
  // What landed is what the gate saw the second time: their file was there.
  expect(readFileSync(rig.path('home', 'seen-1'), 'utf8')).toContain('theirs.txt');
  expect(at('log', '--format=%s', 'main').split('\n')).toContain('theirs');
  expect(proved(rig).ok).toBe(true);
});

test('KG-100 a convoy over two repos says which is missing, and lands when both have; proofs hold', async () => {
  const rig = await engineRig({ repos: ['main', 'api'] });
  const tasks = [await rig.task('One'), await rig.task('Two', { repo: 'api' })];
  const dirty = rig.path('api', 'README.md');
  writeFileSync(dirty, 'mine, not committed\n');
  const convoy = await rig.launch(...tasks);
  rig.start();
  const half = await rig.until('half landed', async () => {
    const { convoy: now } = await rig.call(showConvoy, { params: { id: convoy } });
    const { entries } = await rig.call(listQueue, { query: {} });
    const waits = entries.some(({ state }) => state === 'waiting_push');
    return now.landings.length === 1 && waits && { now, entries };
  });
  expect(half.now.status).toBe('landing');
  expect(half.now.landings).toMatchObject([{ repo: 'main', target: 'main' }]);
  expect(half.entries).toMatchObject([
    { repo: 'api', landing: true, reason: expect.stringContaining('uncommitted changes') },
  ]);
  expect(readFileSync(dirty, 'utf8')).toBe('mine, not committed\n');
  rig.gitIn('api', 'checkout', '--quiet', 'README.md');
  const landed = await rig.settled(convoy, 'landed');
  expect(landed.landings.map(({ repo }) => repo).toSorted()).toEqual(['api', 'main']);
  expect(proved(rig)).toEqual({ ok: true, repos: ['api', 'main'] });
});

test('GT-174 an approval of an old tree is refused; only the new tree’s lets it land', async () => {
  const rig = await engineRig({ repo: { review: 'human' } });
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  const pending = async (): Promise<{ id: string; subject_hash: string }[]> =>
    (await rig.call(listApprovals, { query: {} })).approvals.filter(
      ({ status }) => status === 'pending',
    );
  const [old] = await rig.until('asked', async () => {
    const found = await pending();
    return found.length > 0 && found;
  });
  const more = await rig.task('Two');
  await rig.call(addToConvoy, { params: { id: convoy }, body: { tasks: [more] } });
  const [fresh] = await rig.until('asked anew', async () => {
    const found = (await pending()).filter(({ id }) => id !== old?.id);
    return found.length > 0 && found;
  });
  expect(fresh?.subject_hash).not.toBe(old?.subject_hash);
  await expect(
    rig.call(approve, { params: { id: old?.id ?? '' }, body: { channel: 'cli' } }),
  ).rejects.toThrow();
  expect(rig.git('ls-tree', '-r', '--name-only', 'main')).toBe('README.md');
  await rig.call(approve, { params: { id: fresh?.id ?? '' }, body: { channel: 'cli' } });
  const landed = await rig.settled(convoy, 'landed');
  expect(rig.git('rev-parse', 'main^{tree}')).toBe(fresh?.subject_hash);
  expect(landed.progress.merged).toBe(2);
});

test.for([
  ['KG-49 default branch develop', { branch: 'develop' }, 'Pay'],
  ['KG-6 title 日本語', {}, '日本語'],
  ['title of 300 characters', {}, 'x'.repeat(300)],
] as const)('%s: lands', async ([, wish, title]) => {
  const rig = await engineRig(wish);
  const task = await rig.task(title);
  const { convoy } = await rig.call(createConvoy, { body: { title, tasks: [task] } });
  await rig.launch(convoy.id);
  rig.start();
  const landed = await rig.settled(convoy.id, 'landed');
  const target = 'branch' in wish ? wish.branch : 'main';
  expect(landed.landings).toMatchObject([{ repo: 'main', target }]);
  expect(rig.git('show', `${target}:work/${task}.txt`)).toBe(title);
  expect(proved(rig).ok).toBe(true);
});

test('KG-19 a branch name that holds other work gets a number in every repo, and its work is left alone', async () => {
  const rig = await engineRig({ repos: ['main', 'api'] });
  const tasks = [await rig.task('One'), await rig.task('Two', { repo: 'api' })];
  const { convoy } = await rig.call(createConvoy, { body: { title: 'Shop', tasks } });
  const tree = rig.gitIn('api', 'rev-parse', 'main^{tree}');
  const foreign = rig.gitIn('api', 'commit-tree', tree, '-p', 'main', '-m', 'somebody else');
  rig.gitIn('api', 'branch', convoy.integration_branch, foreign);
  await rig.launch(convoy.id);
  rig.start();
  const landed = await rig.settled(convoy.id, 'landed');
  expect(landed.integration_branch).toBe(`convoy/shop-2/${convoy.id}/head`);
  expect(rig.gitIn('api', 'rev-parse', convoy.integration_branch)).toBe(foreign);
  for (const repo of ['main', 'api'])
    expect(rig.gitIn(repo, 'branch', '--list', landed.integration_branch)).not.toBe('');
  expect(rig.gitIn('api', 'log', '--format=%s', 'main')).not.toContain('somebody else');
  expect(proved(rig)).toEqual({ ok: true, repos: ['api', 'main'] });
});
