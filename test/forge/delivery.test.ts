import { expect, test } from 'vitest';
import { pullRig } from './rig.ts';

test('KG-48 KG-55 one pull request for the convoy, merged by us once it is approved', async () => {
  const rig = await pullRig();
  const [a, b] = [
    await rig.task('one', '--acceptance', 'one.txt exists'),
    await rig.task('two', '--description', 'Ask @mona'),
  ];
  const convoy = await rig.begin('Pair', a, b);
  await rig.entry(({ pull_request: pull }) => pull?.state === 'open' && pull.waits !== null);
  const pull = rig.hub.only();
  expect(pull).toMatchObject({
    base: 'main',
    branch: expect.stringMatching(/^convoy\/pair\/.*\/head$/),
  });
  for (const part of [a, b, 'one.txt exists', 'ch-', '`test`', 'Tested tree', convoy])
    expect(pull.body).toContain(part);
  expect(rig.git('rev-parse', 'main')).toBe(rig.hub.bare.head('main'));
  rig.hub.approve(pull.number);
  const landed = await rig.settled(convoy, 'landed');
  expect(rig.hub.bare.git('show', `main:${a}.txt`)).toBe('one');
  expect(landed.landings).toMatchObject([
    { target: 'main', commit: pull.mergeCommit, proof: 'contained, verified-tree, adds-nothing' },
  ]);
  expect(rig.git('rev-parse', 'main')).toBe(pull.mergeCommit);
  expect(rig.asked('POST /pulls')).toBe(1);
  await rig.convoy(['down']);
});

test('KG-70 launch --wait ends with 5 while an approval is missing; cancel names what stays open and closes it', async () => {
  const rig = await pullRig();
  const ran = await rig.launch(await rig.task('one'));
  expect(ran.code).toBe(5);
  const { id, pull_requests: pulls, approvals } = ran.json.convoy;
  expect(pulls).toMatchObject([{ number: 1, state: 'open', closing: false }]);
  expect(approvals).toMatchObject([{ kind: 'merge_pr', status: 'pending' }]);
  expect((await rig.convoy(['status', id])).stdout).toContain('#1 open');
  const cancelled = await rig.convoy(['cancel', id]);
  expect(cancelled.stdout).toContain('Pull requests that stay open:');
  expect(cancelled.stdout).toContain(pulls[0].url);
  await rig.ok(['up', '--detach']);
  await rig.ok(['cancel', id, '--close-prs', '--reason', 'not needed']);
  await rig.until(
    () => rig.status(id),
    (seen) => seen.pull_requests[0].state === 'closed',
  );
  expect(rig.hub.only()).toMatchObject({ state: 'closed', mergedAt: null });
  expect(rig.hub.only().comments[0]).toContain('not needed');
  await rig.convoy(['down']);
});
