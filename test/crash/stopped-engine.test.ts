import { expect, test } from 'vitest';
import { engineRig, WORK } from '../engine/rig.ts';
import { endOf } from './daemon-bundle.ts';
import { daemons } from './engine-rig.ts';
import { brokenInvariants } from './invariants.ts';

const engines = daemons();

test('an engine that was stopped, lost its lease and comes back changes nothing and ends', async () => {
  const rig = await engineRig({ scripts: [{ steps: [{ do: 'sleep', ms: 300 }, ...WORK] }] });
  const tasks = [await rig.task('A'), await rig.task('B')];
  await rig.after(tasks[1] ?? '', tasks[0] ?? '');
  const convoy = await rig.launch(...tasks);
  const sleeper = engines.start(rig);
  await rig.until('running', async () => (await rig.attempts(tasks[0] ?? '')).length > 0);
  sleeper.kill('SIGSTOP');
  // What its clock could not see: the lease has lapsed.
  await rig.services.ledger.db.updateTable('lease').set({ expires_at: 0 }).execute();
  const successor = engines.start(rig);
  await rig.settled(convoy, 'landed');
  // The successor has a last word or two after the landing; from here on any event is the sleeper's.
  await engines.stop(successor);
  const before = await rig.services.ledger.db.selectFrom('event').select('id').execute();
  sleeper.kill('SIGCONT');
  expect(await endOf(sleeper)).toBe(0);
  expect(await brokenInvariants(rig, tasks)).toEqual([]);
  const events = await rig.services.ledger.db.selectFrom('event').select(['id', 'kind']).execute();
  expect(events.slice(before.length).map(({ kind }) => kind)).toEqual([]);
});
