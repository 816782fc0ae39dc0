import { expect, test } from 'vitest';
import { createConvoy, removeFromConvoy, showConvoy } from '../../src/contract/routes/convoys.ts';
import {
  landConvoy,
  pauseQueue,
  previewLanding,
  rejectChange,
  resumeQueue,
} from '../../src/contract/routes/queue.ts';
import { engineRig, WORK } from '../engine/rig.ts';
import { makeQueue } from './rig.ts';

test('GT-175 a sub-epic with its own branch lands into the convoy’s branch, and closes only then', async () => {
  const rig = await makeQueue();
  const root = await rig.task('Root', '--type', 'epic');
  const sub = await rig.task('Sub', '--type', 'epic', '--parent', root, '--own-branch');
  const inner = await rig.task('inner', '--parent', sub);
  const outer = await rig.task('outer', '--parent', root);
  await rig.ok(['task', 'dep', 'add', outer, sub]);
  const ran = await rig.launch(root);
  expect(ran.json.convoy.status).toBe('landed');
  const { id, integration_branch: head } = ran.json.convoy;
  const folder = head.replace(/\/head$/, '');
  expect(rig.git('ls-tree', '--name-only', `${folder}/epic/${sub}/head`)).toBe(`${inner}.txt`);
  expect((await rig.ok(['task', 'show', inner])).task.merged.target).toBe(
    `${folder}/epic/${sub}/head`,
  );
  expect((await rig.ok(['task', 'show', outer])).task.merged.target).toBe(head);
  expect(rig.git('ls-tree', '--name-only', 'main').split('\n').toSorted()).toEqual(
    [`${inner}.txt`, `${outer}.txt`].toSorted(),
  );
  expect((await rig.ok(['task', 'show', sub])).task.status).toBe('closed');
  expect((await rig.ok(['task', 'show', root])).task.status).toBe('closed');
  expect((await rig.status(id)).landings).toMatchObject([{ repo: 'main', target: 'main' }]);
});

test('GT-74 land of a sub-epic: open work refuses, a dry run lists worktrees, a failed landing is tried again', async () => {
  const rig = await engineRig({
    gates: [{ name: 'test', run: 'test ! -e work/bad.txt || test -e "$HOME/mended"' }],
    scripts: [
      {
        when: { title: 'slow' },
        steps: [
          { do: 'write', path: 'slow.txt', content: 'x' },
          { do: 'commit', message: 'slow' },
          { do: 'hang' },
        ],
      },
      { steps: WORK },
    ],
  });
  const root = await rig.task('Root', { type: 'epic' });
  const sub = await rig.task('Sub', { type: 'epic', parent: root, own_branch: true });
  const inner = await rig.task('inner', { parent: sub });
  const slow = await rig.task('slow', { parent: sub });
  const convoy = await rig.launch(root);
  rig.start();
  await rig.until('inner merged', async () => (await rig.status(inner)) === 'merged' || null);
  await rig.until(
    'slow running',
    async () => (await rig.attempts(slow))[0]?.status === 'running' || null,
  );
  const land = { params: { id: sub }, body: {} };
  await expect(rig.call(landConvoy, land)).rejects.toThrow('open_tasks');
  const [attempt] = await rig.attempts(slow);
  const preview = await rig.call(previewLanding, { params: { id: sub } });
  const head = (await rig.call(showConvoy, { params: { id: convoy } })).convoy.integration_branch;
  expect(preview).toMatchObject({
    convoy_id: convoy,
    epic: sub,
    open: [slow],
    landings: [{ repo: 'main', target: head, state: 'clean' }],
    worktrees: [{ repo: 'main', attempt: attempt?.id, task: slow, path: attempt?.worktree }],
  });
  await expect(rig.call(landConvoy, { params: { id: inner }, body: {} })).rejects.toThrow(
    'no_branch_of_its_own',
  );
  await rig.call(pauseQueue, { body: { repo: 'main', target: head } });
  await rig.call(removeFromConvoy, { params: { id: convoy }, body: { tasks: [slow] } });
  const id = await rig.until('its landing waits', async () => {
    const found = (await rig.changes(convoy)).find(({ task }) => task === sub);
    return found?.id ?? null;
  });
  await rig.call(rejectChange, { params: { id }, body: { reason: 'not yet' } });
  await rig.settled(convoy, 'stalled');
  await rig.call(resumeQueue, { body: { repo: 'main', target: head } });
  expect(await rig.call(landConvoy, land)).toMatchObject({ epic: sub, retried: [id] });
  await rig.settled(convoy, 'landed');
  expect(rig.git('show', `main:work/${inner}.txt`)).toBe('inner');
});

test('GT-74 with --keep-worktrees those of the landing are there afterwards, until land is said without it', async () => {
  const rig = await engineRig({
    gates: [
      { name: 'change', run: ['true'], phase: 'change' },
      { name: 'landing', run: 'test -e work/mend.txt', phase: 'landing' },
    ],
    scripts: [
      { when: { title: 'One' }, steps: WORK },
      { steps: [{ do: 'write', path: 'work/mend.txt', content: 'x' }, { do: 'lie' }] },
    ],
  });
  const task = await rig.task('One');
  const { convoy } = await rig.call(createConvoy, {
    body: { title: 'Mine', tasks: [task], owned: true },
  });
  await rig.launch(convoy.id);
  rig.start();
  await rig.until('merged', async () => (await rig.status(task)) === 'merged' || null);
  await rig.call(landConvoy, { params: { id: convoy.id }, body: { keep_worktrees: true } });
  const landed = await rig.settled(convoy.id, 'landed');
  const mend = landed.tasks.find(({ id }) => id !== task)?.id ?? '';
  const kept = async (): Promise<string[]> =>
    (await rig.call(previewLanding, { params: { id: convoy.id } })).worktrees.map(
      (one) => one.task,
    );
  expect(await kept()).toEqual([mend]);
  await rig.stop();
  rig.start();
  await rig.stop();
  expect(await kept()).toEqual([mend]);
  const again = await rig.call(landConvoy, { params: { id: convoy.id }, body: {} });
  expect(again).toMatchObject({ landed: true, retried: [] });
  rig.start();
  await rig.stop();
  expect(await kept()).toEqual([]);
});
