import { expect, test } from 'vitest';
import { PULL_CRASH_POINTS } from '../../src/engine/crash-points.ts';
import { endOf } from '../crash/daemon-bundle.ts';
import { daemons } from '../crash/engine-rig.ts';
import { brokenInvariants } from '../crash/invariants.ts';
import { forgeRig } from './engine-rig.ts';

const engines = daemons();
const POINTS = PULL_CRASH_POINTS.filter((point) => point !== 'pull-closed');

test.for(POINTS)('a crash at %s makes no second pull request and loses no merge', async (point) => {
  const rig = await forgeRig({ repo: { pr_merge: 'green' } });
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  expect(await endOf(engines.start(rig, { crashAt: point }))).toBe('SIGKILL');

  const engine = engines.start(rig);
  await rig.settled(convoy, 'landed');
  await engines.stop(engine);

  expect(rig.asked('POST /pulls')).toBe(1);
  const { mergeCommit } = rig.hub.only();
  expect(mergeCommit).toBe(rig.hub.bare.head('main'));
  const landings = (await rig.changes(convoy)).filter(({ landing }) => landing === true);
  expect(landings).toMatchObject([{ status: 'merged', merged: { commit: mergeCommit } }]);
  expect(await brokenInvariants(rig, [task])).toEqual([]);
});

test('an answer that was lost after the pull request was made is no reason for a second one', async () => {
  const rig = await forgeRig({ repo: { pr_merge: 'green' } });
  rig.github.failures.push({
    method: 'POST',
    path: '/pulls',
    status: 502,
    times: 1,
    afterwards: true,
  });
  rig.github.failures.push({
    method: 'PUT',
    path: '/merge',
    status: 502,
    times: 1,
    afterwards: true,
  });
  const convoy = await rig.launch(await rig.task('T'));
  rig.start();
  await rig.settled(convoy, 'landed');
  expect(rig.asked('POST /pulls')).toBe(1);
  expect(rig.asked('PUT /pulls/1/merge')).toBe(1);
});
