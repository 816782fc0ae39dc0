import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addToConvoy, cancelConvoy, createConvoy } from '../../src/contract/routes/convoys.ts';
import { landConvoy } from '../../src/contract/routes/queue.ts';
import { WORK } from '../engine/rig.ts';
import { type RemoteRig, remoteRig } from './rig.ts';

const names = (rig: RemoteRig): string[] => Object.keys(rig.origin.heads());

/** A convoy whose one task was merged and whose other hangs. */
async function halfDone(rig: RemoteRig): Promise<{ convoy: string; head: string }> {
  rig.play([{ when: { title: 'Hangs' }, steps: [{ do: 'hang' }] }, { steps: WORK }]);
  const [one, other] = [await rig.task('One'), await rig.task('Hangs')];
  const convoy = await rig.launch(one, other);
  rig.start();
  await rig.until('pushed', async () => {
    const all = await rig.branches(convoy);
    return all.length === 2 && all.every(({ status }) => status === 'pushed');
  });
  await rig.until('merged', async () => (await rig.status(one)) === 'merged');
  await rig.until('pushed', async () =>
    (await rig.branches(convoy)).every(({ status }) => status === 'pushed'),
  );
  return { convoy, head: (await rig.show(convoy)).integration_branch };
}

test('a convoy that has landed leaves nothing but the target on origin', async () => {
  const rig = await remoteRig();
  const convoy = await rig.launch(await rig.task('One'), await rig.task('Two'));
  rig.start();
  await rig.settled(convoy, 'landed');
  await rig.gone(convoy);
  expect(names(rig)).toEqual(['main']);
  expect((await rig.show(convoy)).remotes).toMatchObject([
    { repo: 'main', pushed: 0, waiting: 0, leaving: 0, removed: 3, branches: [] },
  ]);
  // Here they stay, as they always did.
  expect(rig.git('branch', '--list', 'convoy/*').split('\n')).toHaveLength(3);
});

test('a convoy that was given up is cleaned up too', async () => {
  const rig = await remoteRig();
  const { convoy } = await halfDone(rig);
  expect(names(rig)).toHaveLength(3);
  await rig.call(cancelConvoy, { params: { id: convoy }, body: {} });
  await rig.gone(convoy);
  expect(names(rig)).toEqual(['main']);
});

test('what could not be pushed before the convoy ended leaves nothing behind', async () => {
  const rig = await remoteRig();
  const { convoy } = await halfDone(rig);
  rig.server.fail(503);
  const more = await rig.task('More');
  await rig.call(addToConvoy, { params: { id: convoy }, body: { tasks: [more] } });
  await rig.until('merged', async () => (await rig.status(more)) === 'merged');
  await rig.call(cancelConvoy, { params: { id: convoy }, body: {} });
  await rig.until('leaving', async () =>
    (await rig.branches(convoy)).every(({ status }) => status === 'leaving'),
  );
  rig.server.fail(null);
  await rig.gone(convoy);
  expect(names(rig)).toEqual(['main']);
});

test('who keeps the worktrees keeps the branches, until the owner says otherwise', async () => {
  const rig = await remoteRig();
  const task = await rig.task('One');
  const { convoy: made } = await rig.call(createConvoy, { body: { tasks: [task], owned: true } });
  const convoy = await rig.launch(made.id);
  rig.start();
  await rig.until('merged', async () => (await rig.status(task)) === 'merged');
  await rig.call(landConvoy, { params: { id: convoy }, body: { keep_worktrees: true } });
  await rig.settled(convoy, 'landed');
  await rig.until('all pushed', async () => {
    const all = await rig.branches(convoy);
    return all.length === 2 && all.every(({ status }) => status === 'pushed');
  });
  expect(names(rig)).toHaveLength(3);
  await rig.call(landConvoy, { params: { id: convoy }, body: { keep_worktrees: false } });
  await rig.gone(convoy);
  expect(names(rig)).toEqual(['main']);
});

test('a branch that somebody else moved stays, and one that somebody else deleted is gone', async () => {
  const rig = await remoteRig();
  const { convoy, head } = await halfDone(rig);
  const theirs = rig.origin.git('commit-tree', 'main^{tree}', '-p', head, '-m', 'theirs');
  rig.origin.git('update-ref', `refs/heads/${head}`, theirs);
  const [task] = names(rig).filter((name) => name.includes('/task/'));
  rig.origin.git('update-ref', '-d', `refs/heads/${task}`);
  await rig.call(cancelConvoy, { params: { id: convoy }, body: {} });
  const all = await rig.gone(convoy);
  expect(all).toMatchObject([
    { name: head, status: 'left', trouble: { reason: expect.stringContaining('somebody else') } },
    { name: task, status: 'removed' },
  ]);
  expect(rig.origin.heads()).toMatchObject({ [head]: theirs });
  expect((await rig.show(convoy)).remotes).toMatchObject([
    { removed: 1, branches: [{ branch: head, state: 'left' }] },
  ]);
});

test('an origin that will not delete is asked three times and then left alone, with its words', async () => {
  const rig = await remoteRig();
  const { convoy } = await halfDone(rig);
  const hook = join(rig.origin.path, 'hooks/pre-receive');
  writeFileSync(hook, '#!/bin/sh\nexit 1\n');
  chmodSync(hook, 0o755);
  await rig.call(cancelConvoy, { params: { id: convoy }, body: {} });
  const all = await rig.gone(convoy);
  expect(all.map(({ status }) => status)).toEqual(['left', 'left']);
  expect(all[0]?.trouble?.reason).toContain('origin refuses to delete');
});

test('an engine that comes later cleans up what the last one could not', async () => {
  const rig = await remoteRig();
  const { convoy } = await halfDone(rig);
  rig.server.fail(503);
  await rig.call(cancelConvoy, { params: { id: convoy }, body: {} });
  await rig.until('trouble', async () => (await rig.show(convoy)).remotes[0]?.trouble !== null);
  await rig.stop();
  expect(names(rig)).toHaveLength(3);
  rig.server.fail(null);
  rig.start();
  await rig.gone(convoy);
  expect(names(rig)).toEqual(['main']);
});

test('a convoy that is opened again has its branches on origin again', async () => {
  const rig = await remoteRig();
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  await rig.settled(convoy, 'landed');
  await rig.gone(convoy);
  rig.play([{ steps: [{ do: 'wait-for', path: rig.path('go') }, ...WORK] }]);
  const [more, last] = [await rig.task('More'), await rig.task('Last')];
  await rig.after(last, more);
  await rig.call(addToConvoy, { params: { id: convoy }, body: { tasks: [more, last] } });
  writeFileSync(rig.path('go'), '');
  await rig.until('landed again', async () => {
    const now = await rig.show(convoy);
    return now.status === 'landed' && now.progress.merged === 3;
  });
  await rig.gone(convoy);
  expect(names(rig)).toEqual(['main']);
  const [head] = await rig.branches(convoy);
  const events = await rig.services.ledger.db
    .selectFrom('event')
    .select('kind')
    .where('subject', '=', `branch/${head?.id}`)
    .orderBy('version')
    .execute();
  const kinds = events.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'branch-removed')).toHaveLength(2);
  expect(kinds.lastIndexOf('branch-pushed')).toBeGreaterThan(kinds.indexOf('branch-removed'));
});
