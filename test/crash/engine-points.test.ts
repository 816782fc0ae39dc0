import { expect, test } from 'vitest';
import { CRASH_POINTS } from '../../src/engine/crash-points.ts';
import { engineRig } from '../engine/rig.ts';
import {
  bundledDaemon,
  endOf,
  expectMergedOnce,
  expectNothingLeft,
  startEngineProcess,
  stopEngineProcess,
} from './engine-rig.ts';

bundledDaemon();

/** The first passing of every point, and the second of those that the convoy's own landing passes again. */
const AGAIN = ['landing-planned:2', 'landing-intended:2', 'target-moved:2', 'landing-done:2'];

test.for([...CRASH_POINTS, ...AGAIN])(
  'KG-98 a crash at %s changes nothing about the end',
  async (point) => {
    const rig = await engineRig();
    const task = await rig.task('T');
    const convoy = await rig.launch(task);
    const doomed = startEngineProcess(rig, point);
    expect(await endOf(doomed)).toBe('SIGKILL');

    const engine = startEngineProcess(rig);
    await rig.settled(convoy, 'landed');
    await stopEngineProcess(engine);

    expect((await rig.attempts(task)).map(({ status }) => status)).toEqual(['done']);
    await expectMergedOnce(rig, [task]);
    const landings = (await rig.changes(convoy)).filter(({ landing }) => landing === true);
    expect(landings.map(({ status }) => status)).toEqual(['merged']);
    await expectNothingLeft(rig);
  },
);
