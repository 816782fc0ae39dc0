import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { engineRig, WORK } from '../engine/rig.ts';
import {
  bundledDaemon,
  endOf,
  expectMergedOnce,
  expectNothingLeft,
  startEngineProcess,
  stopEngineProcess,
} from './engine-rig.ts';

bundledDaemon();

const KILLS = Number(process.env['CONVOY_TEST_KILLS'] ?? 15);
const TASKS = Number(process.env['CONVOY_TEST_KILL_TASKS'] ?? 20);

/** A small generator, so that a run can be repeated. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test(`KG-87 KG-98 ${KILLS} kills of the engine lose nothing and double nothing`, async () => {
  const rig = await engineRig({
    workspace: { max_parallel: 4 },
    scripts: [{ steps: [{ do: 'sleep', ms: 100 }, ...WORK] }],
  });
  const chance = chances(7);
  const tasks: string[] = [];
  for (let n = 0; n < TASKS; n++) {
    const id = await rig.task(`T${n}`);
    const before = tasks[Math.floor(chance() * tasks.length)];
    if (before !== undefined && n % 2 === 1) await rig.after(id, before);
    tasks.push(id);
  }
  const convoy = await rig.launch(...tasks);
  for (let kill = 0; kill < KILLS; kill++) {
    const doomed = startEngineProcess(rig);
    // A moment of its life, chosen at random: this is the fault, not a wait for something.
    await pause(150 + chance() * 900);
    doomed.kill('SIGKILL');
    expect(await endOf(doomed)).toBe('SIGKILL');
  }
  const engine = startEngineProcess(rig);
  await rig.until(
    'landed',
    async () => (await rig.settled(convoy, 'landed', 'stalled')).status === 'landed',
    120_000,
  );
  await stopEngineProcess(engine);
  for (const task of tasks)
    expect((await rig.attempts(task)).map(({ status }) => status)).toEqual(['done']);
  await expectMergedOnce(rig, tasks);
  await expectNothingLeft(rig);
}, 300_000);
