import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOfTest } from '../postgres/ledger-of-test.ts';
import { bundleDaemon, type DaemonBundle } from './daemon-bundle.ts';
import { torture } from './engine-torture.ts';

const KILLS = Number(process.env['CONVOY_TEST_KILLS'] ?? 15);
const TASKS = Number(process.env['CONVOY_TEST_KILL_TASKS'] ?? 20);
const SHORT = { least: 150, most: 1000 };

let bundle: DaemonBundle;
beforeAll(async () => {
  bundle = await bundleDaemon();
});
afterAll(() => bundle.remove());

test(`KG-87 KG-98 ${KILLS} kills of the engine lose nothing and double nothing`, async () => {
  const wish = { seed: 7, tasks: TASKS, kills: KILLS, life: SHORT, misbehave: false };
  expect(await torture(bundle, wish, await databaseOfTest())).toEqual({
    seed: 7,
    kills: KILLS,
    broken: [],
  });
}, 300_000);

test('the clock of the machine is set hours forward and back while engines live and die', async () => {
  const faults = ['clock'] as const;
  const life = { least: 600, most: 1500 };
  const wish = { seed: 3, tasks: 8, kills: 6, life, misbehave: true, faults };
  expect(await torture(bundle, wish, await databaseOfTest())).toEqual({
    seed: 3,
    kills: 6,
    broken: [],
    faults: Array.from({ length: 6 }, () => 'clock'),
  });
}, 300_000);

test.for([1, 2])(
  'torture with seed %i: misbehaving agents and a killed engine still land',
  { timeout: 300_000 },
  async (seed) => {
    const wish = { seed, tasks: 12, kills: 6, life: SHORT, misbehave: true };
    expect(await torture(bundle, wish, await databaseOfTest())).toEqual({
      seed,
      kills: 6,
      broken: [],
    });
  },
);
