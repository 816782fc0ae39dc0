import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { engineRig, WORK } from '../engine/rig.ts';
import { daemons } from './engine-rig.ts';
import { brokenInvariants } from './invariants.ts';

const engines = daemons();
const HOUR_MS = 3_600_000;

test('a clock that is set forward and back by hours under a running engine disturbs nothing', async () => {
  const rig = await engineRig();
  rig.play([{ steps: [{ do: 'wait-for', path: rig.path('go-{title}') }, ...WORK] }]);
  const tasks = [await rig.task('A'), await rig.task('B')];
  const [first = '', second = ''] = tasks;
  await rig.after(second, first);
  const convoy = await rig.launch(...tasks);
  const clock = rig.path('clock');
  const set = (hours: number): void => writeFileSync(clock, String(hours * HOUR_MS));
  const begun = (task: string): Promise<number> =>
    rig.until('running', async () => {
      const attempt = (await rig.attempts(task))[0];
      return attempt?.status === 'running' && attempt.createdAt;
    });
  set(5);
  const engine = engines.start(rig, { clock });
  // It believes its own clock: otherwise nothing was shown here.
  expect(await begun(first)).toBeGreaterThan(Date.now() + 4 * HOUR_MS);
  set(-4);
  writeFileSync(rig.path('go-A'), '');
  expect(await begun(second)).toBeLessThan(Date.now() - 3 * HOUR_MS);
  set(0);
  writeFileSync(rig.path('go-B'), '');
  const landed = await rig.settled(convoy, 'landed');
  expect(landed.tasks.map(({ attempts }) => attempts)).toEqual([1, 1]);
  await engines.stop(engine);
  expect(await brokenInvariants(rig, tasks)).toEqual([]);
});
