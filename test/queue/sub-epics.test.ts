import { expect, test } from 'vitest';
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
