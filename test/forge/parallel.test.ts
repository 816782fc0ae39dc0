import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forgeRig } from './engine-rig.ts';

/** Waits a while for another run beside it, and notes how many there were. */
const TOGETHER = [
  'mkdir "$HOME/in-$$"',
  'n=0; while [ $(ls -d "$HOME"/in-* | wc -l) -lt 2 ] && [ $n -lt 60 ]; do sleep 0.05; n=$((n+1)); done',
  'ls -d "$HOME"/in-* | wc -l >> "$HOME/beside"',
  'sleep 0.3; rmdir "$HOME/in-$$"',
].join('; ');

test('proposals are verified side by side, and those to be merged on top of each other', async () => {
  const rig = await forgeRig({
    poll: '1h',
    repo: { merge_mode: 'review-and-merge', slots: 3 },
    gates: [{ name: 'test', run: TOGETHER }],
  });
  const tasks = [await rig.task('One'), await rig.task('Two'), await rig.task('Three')];
  const convoy = await rig.launch(...tasks);
  rig.start();
  const pulls = [];
  for (const task of tasks) pulls.push(await rig.waiting(task));
  const beside = (): number[] =>
    readFileSync(rig.path('home', 'beside'), 'utf8').trim().split('\n').map(Number);
  expect(beside()).toHaveLength(3);
  expect(Math.max(...beside())).toBeGreaterThan(1);
  // A new engine looks at all of them at once, and finds every one approved.
  await rig.stop();
  for (const { number } of pulls) rig.hub.approve(number);
  rig.start();
  await rig.settled(convoy, 'landed');
  // The first was green on the target as it is. The second and the third on top of it ran together, and
  // the third needed no run of its own afterwards.
  expect(beside()).toHaveLength(5);
  expect(beside().slice(3)).toEqual([2, 2]);
  for (const task of tasks)
    expect(await rig.changes(task)).toMatchObject([
      { status: 'merged', merged: { unverified: false } },
    ]);
  expect(rig.git('rev-parse', 'main')).toBe(rig.hub.bare.head('main'));
});
