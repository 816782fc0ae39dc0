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
