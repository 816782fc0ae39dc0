import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTask } from '../../src/contract/routes/tasks.ts';
import { branchesOf } from '../../src/domain/convoy/slug.ts';
import { convoyAggregate } from '../../src/ledger/aggregates/convoy.ts';
import { WORK } from '../engine/rig.ts';
import { type RemoteRig, remoteRig } from './rig.ts';

/** Work that goes on only after a file appears beside the repositories. */
function gatedWork(rig: RemoteRig): { go: (task: string) => void } {
  rig.play([{ steps: [{ do: 'wait-for', path: rig.path('go-{task_id}') }, ...WORK] }]);
  return { go: (task) => writeFileSync(rig.path(`go-${task}`), '') };
}

const running = (rig: RemoteRig, task: string): Promise<boolean> =>
  rig.until(`${task} begun`, async () => (await rig.status(task)) === 'in_progress');

const merged = (rig: RemoteRig, task: string): Promise<boolean> =>
  rig.until(`${task} merged`, async () => (await rig.status(task)) === 'merged');

async function namesOf(rig: RemoteRig, convoy: string): Promise<ReturnType<typeof branchesOf>> {
  const stored = await convoyAggregate.load(rig.services.ledger.db, convoy);
  if (stored === null) throw new Error('no convoy');
  return branchesOf(stored.state);
}

/** Refuses a whole push for the sake of one branch in it, as hooks and rules of forges do. */
function refusing(rig: RemoteRig, end: string): { stop: () => void } {
  const hook = join(rig.origin.path, 'hooks/pre-receive');
  const line = `while read old new ref; do case "$ref" in *${end}) exit 1;; esac; done`;
  writeFileSync(hook, `#!/bin/sh\n${line}\nexit 0\n`);
  chmodSync(hook, 0o755);
  return { stop: () => rmSync(hook) };
}

/** A convoy of two tasks, whose agents go on when they are told to. */
async function twoAtWork() {
  const rig = await remoteRig();
  const { go } = gatedWork(rig);
  const [one, two] = [await rig.task('One'), await rig.task('Two')];
  const convoy = await rig.launch(one, two);
  rig.start();
  await running(rig, one);
  return { rig, go, one, two, convoy };
}

test('what is submitted and what is merged is on origin while the convoy still works', async () => {
  const { rig, go, one, two, convoy } = await twoAtWork();
  go(one);
  await merged(rig, one);
  const { head, task } = await namesOf(rig, convoy);
  await rig.until('all of it pushed', async () => {
    const { remotes } = await rig.show(convoy);
    return remotes[0]?.pushed === 2 && remotes[0].waiting === 0;
  });
  const [change] = await rig.changes(one);
  const [attempt] = await rig.attempts(one);
  expect(rig.origin.heads()).toEqual({
    main: rig.git('rev-parse', 'main'),
    [head]: rig.git('rev-parse', head),
    [attempt?.branch ?? '']: change?.head,
  });
  expect(rig.origin.git('show', `${head}:work/${one}.txt`)).toBe('One');
  expect(attempt?.branch.startsWith(task(attempt.task, 1))).toBe(true);
  go(two);
  await rig.settled(convoy, 'landed');
});

test('with delivery = "local" nothing of a convoy leaves this machine, and nothing is written down', async () => {
  const rig = await remoteRig({ repo: { delivery: 'local' } });
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  const landed = await rig.settled(convoy, 'landed');
  expect(landed.remotes).toEqual([]);
  expect(await rig.branches(convoy)).toEqual([]);
  expect(Object.keys(rig.origin.heads())).toEqual(['main']);
});

test('each change for itself: attempts are pushed, and there is no branch to collect them', async () => {
  const rig = await remoteRig({ repo: { merge_mode: 'review-and-merge' } });
  const { go } = gatedWork(rig);
  const [one, two] = [await rig.task('One'), await rig.task('Two')];
  const convoy = await rig.launch(one, two);
  rig.start();
  go(one);
  await merged(rig, one);
  await rig.until('pushed', async () => (await rig.show(convoy)).remotes[0]?.pushed === 1);
  const [attempt] = await rig.attempts(one);
  expect(Object.keys(rig.origin.heads()).toSorted()).toEqual(
    [attempt?.branch ?? '', 'main'].toSorted(),
  );
  go(two);
  await rig.settled(convoy, 'landed');
});

test('a remote that hangs holds up no merge; when it answers, only the newest head is pushed', async () => {
  const rig = await remoteRig();
  const { go } = gatedWork(rig);
  const tasks = [await rig.task('One'), await rig.task('Two'), await rig.task('Three')];
  const [one = '', two = '', three = ''] = tasks;
  const convoy = await rig.launch(...tasks);
  rig.start();
  await running(rig, one);
  const hung = rig.server.hang();
  go(one);
  await merged(rig, one);
  go(two);
  await merged(rig, two);
  const { head } = await namesOf(rig, convoy);
  const newest = rig.git('rev-parse', head);
  expect((await rig.show(convoy)).remotes).toMatchObject([{ waiting: 3 }]);
  hung.letGo();
  await rig.until('pushed', async () => (await rig.show(convoy)).remotes[0]?.waiting === 0);
  expect(rig.origin.heads()[head]).toBe(newest);
  // One push was under way when it hung; the heads in between were never sent.
  const pushes = await rig.services.ledger.db
    .selectFrom('event')
    .select('data')
    .where('kind', '=', 'branch-pushed')
    .where('subject', '=', `branch/main:${head}`)
    .execute();
  expect(pushes.length).toBeLessThanOrEqual(3);
  go(three);
  await rig.settled(convoy, 'landed');
});

test('GT-146 a push that fails is seen in status and why, told once, and heals; no task is lost by it', async () => {
  const rig = await remoteRig({ workspace: { notify: ['me'] } });
  rig.config((config) => void Object.assign(config, { notify: { me: { sink: 'inbox' } } }));
  const { go } = gatedWork(rig);
  const [one, two] = [await rig.task('One'), await rig.task('Two')];
  const convoy = await rig.launch(one, two);
  rig.start();
  await running(rig, one);
  rig.server.fail(503);
  go(one);
  // What needs only this machine goes on.
  await merged(rig, one);
  const words = 'origin answers with an error of its own';
  await rig.until('tried', async () => (await rig.show(convoy)).remotes[0]?.waiting === 2);
  await rig.until('told', async () => (await rig.told()).length > 0);
  expect(await rig.told()).toEqual([`Push failing: main: ${words}`]);
  expect((await rig.show(convoy)).remotes).toMatchObject([{ waiting: 2, trouble: words }]);
  expect(await rig.whys(one)).toContainEqual(expect.stringMatching(/^push_failed: .*own\. It is/));
  expect(await rig.whys(convoy)).toContainEqual(expect.stringMatching(/^push_failed: .*\/head/));
  rig.server.fail(null);
  await rig.until('healed', async () => (await rig.show(convoy)).remotes[0]?.pushed === 2);
  expect(await rig.whys(convoy)).not.toContainEqual(expect.stringContaining('push_failed'));
  expect(await rig.told()).toHaveLength(1);
  go(two);
  const landed = await rig.settled(convoy, 'landed');
  expect(landed.progress.merged).toBe(2);
});

test('a branch that origin refuses holds up no other, is said, and goes when it is let', async () => {
  const rig = await remoteRig();
  const { go } = gatedWork(rig);
  const [one, two, three] = [await rig.task('One'), await rig.task('Two'), await rig.task('Three')];
  const convoy = await rig.launch(one, two, three);
  rig.start();
  await running(rig, three);
  const rule = refusing(rig, `${one}-1`);
  const hung = rig.server.hang();
  go(one);
  go(two);
  await Promise.all([merged(rig, one), merged(rig, two)]);
  hung.letGo();
  const seen = await rig.until('refused', async () => {
    const [remote] = (await rig.show(convoy)).remotes;
    return remote?.pushed === 2 && remote.branches.length === 1 && remote;
  });
  expect(seen).toMatchObject({
    waiting: 1,
    trouble: null,
    branches: [
      { state: 'waiting', reason: expect.stringContaining(`${one}-1: [remote rejected]`) },
    ],
  });
  expect(await rig.whys(one)).toContainEqual(expect.stringMatching(/^push_failed: /));
  rule.stop();
  await rig.until('pushed', async () => (await rig.show(convoy)).remotes[0]?.pushed === 3);
  go(three);
  await rig.settled(convoy, 'landed');
});

test('commits that somebody else put on our branch are never overwritten, and it is said', async () => {
  const { rig, go, one, two, convoy } = await twoAtWork();
  const { head } = await namesOf(rig, convoy);
  const theirs = rig.origin.git('commit-tree', 'main^{tree}', '-p', head, '-m', 'theirs');
  rig.origin.git('update-ref', `refs/heads/${head}`, theirs);
  go(one);
  await merged(rig, one);
  await rig.until('said', async () => {
    const [remote] = (await rig.show(convoy)).remotes;
    return remote?.branches.some(({ reason }) => reason.includes('somebody else')) === true;
  });
  expect(await rig.whys(convoy)).toContainEqual(
    expect.stringContaining(`commits of somebody else on ${head}`),
  );
  expect(rig.origin.heads()[head]).toBe(theirs);
  go(two);
  const landed = await rig.settled(convoy, 'landed');
  // It stays as they left it, and that is said too.
  await rig.gone(convoy);
  expect(rig.origin.heads()[head]).toBe(theirs);
  expect((await rig.show(convoy)).remotes[0]?.branches).toMatchObject([
    { branch: head, state: 'left' },
  ]);
  expect(landed.progress.merged).toBe(2);
  expect(rig.origin.git('log', '--format=%s', 'main')).not.toContain('theirs');
});

test('the branch of a sub-epic is pushed once something is merged into it', async () => {
  const rig = await remoteRig();
  const { go } = gatedWork(rig);
  const { task: epic } = await rig.call(createTask, {
    body: { title: 'Part', type: 'epic', own_branch: true },
  });
  const inside = await rig.task('Inside', { parent: epic.id });
  const outside = await rig.task('Outside');
  const convoy = await rig.launch(inside, outside);
  rig.start();
  await running(rig, inside);
  go(inside);
  await merged(rig, inside);
  const names = await namesOf(rig, convoy);
  const branch = (await rig.attempts(inside))[0]?.target ?? '';
  expect(branch).toContain(`/epic/${epic.id}/head`);
  await rig.until('pushed', async () => {
    const found = (await rig.branches(convoy)).find(({ name }) => name === branch);
    return found?.status === 'pushed';
  });
  expect(rig.origin.heads()[branch]).toBe(rig.git('rev-parse', branch));
  expect(rig.origin.heads()).toHaveProperty([names.head]);
  go(outside);
  await rig.settled(convoy, 'landed');
  await rig.gone(convoy);
  expect(Object.keys(rig.origin.heads())).toEqual(['main']);
});
