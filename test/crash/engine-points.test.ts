import { expect, test } from 'vitest';
import { CRASH_POINTS } from '../../src/engine/crash-points.ts';
import { engineRig } from '../engine/rig.ts';
import { endOf } from './daemon-bundle.ts';
import { daemons } from './engine-rig.ts';
import { brokenInvariants } from './invariants.ts';

const engines = daemons();

/** The first passing of every point, and the second of those that the convoy's own landing passes again. */
const AGAIN = ['landing-planned:2', 'landing-intended:2', 'target-moved:2', 'landing-done:2'];

test.for([...CRASH_POINTS, ...AGAIN])(
  'KG-98 a crash at %s changes nothing about the end',
  async (point) => {
    const rig = await engineRig();
    const task = await rig.task('T');
    const convoy = await rig.launch(task);
    const doomed = engines.start(rig, { crashAt: point });
    expect(await endOf(doomed)).toBe('SIGKILL');

    const engine = engines.start(rig);
    await rig.settled(convoy, 'landed');
    await engines.stop(engine);

    expect((await rig.attempts(task)).map(({ status }) => status)).toEqual(['done']);
    const landings = (await rig.changes(convoy)).filter(({ landing }) => landing === true);
    expect(landings.map(({ status }) => status)).toEqual(['merged']);
    expect(await brokenInvariants(rig, [task])).toEqual([]);
  },
);
