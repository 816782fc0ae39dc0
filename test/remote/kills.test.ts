import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REMOTE_CRASH_POINTS } from '../../src/engine/crash-points.ts';
import { endOf } from '../crash/daemon-bundle.ts';
import { daemons } from '../crash/engine-rig.ts';
import { brokenInvariants } from '../crash/invariants.ts';
import { WORK } from '../engine/rig.ts';
import { type RemoteRig, remoteRig } from './rig.ts';

const engines = daemons();
/** The first is the branch of the convoy, the second that of an attempt. */
const AGAIN = ['branch-sent:2'];

test.for([...REMOTE_CRASH_POINTS, ...AGAIN])(
  'a crash at %s: one name, one landing, and nothing of the convoy is left on origin',
  async (point) => {
    const rig = await remoteRig();
    // Where the point lies in the middle of the work, the rest of it waits for the crash.
    const wait = { do: 'wait-for', path: rig.path('crashed') };
    const isAmidst = AGAIN.includes(point);
    rig.play([{ when: { title: 'U' }, steps: isAmidst ? [wait, ...WORK] : WORK }, { steps: WORK }]);
    const tasks = [await rig.task('T'), await rig.task('U')];
    const convoy = await rig.launch(...tasks);
    expect(await endOf(engines.start(rig, { crashAt: point }))).toBe('SIGKILL');
    writeFileSync(rig.path('crashed'), '');
    const engine = engines.start(rig);
    await rig.settled(convoy, 'landed');
    await rig.gone(convoy);
    await engines.stop(engine);
    for (const task of tasks)
      expect((await rig.attempts(task)).map(({ status }) => status)).toEqual(['done']);
    expect((await rig.changes(convoy)).map(({ status }) => status)).toEqual(
      Array.from({ length: 3 }, () => 'merged'),
    );
    expect(rig.origin.heads()).toEqual({ main: rig.git('rev-parse', 'main') });
    expect((await rig.branches(convoy)).map(({ status }) => status)).toEqual(
      Array.from({ length: 3 }, () => 'removed'),
    );
    const kinds = await kindsIn(rig);
    for (const once of ['branches-named', 'branches-settled', 'origin-recorded', 'convoy-landed'])
      expect(kinds.filter((kind) => kind === once)).toEqual([once]);
    // Nothing began before the branch was there for everybody.
    expect(kinds.indexOf('attempt-opened')).toBeGreaterThan(kinds.indexOf('branches-settled'));
    expect(await brokenInvariants(rig, tasks)).toEqual([]);
  },
);

test('a crash after the push and a branch that moved on since: what is there is found to be ours', async () => {
  const rig = await remoteRig();
  rig.play([
    { when: { title: 'U' }, steps: [{ do: 'wait-for', path: rig.path('crashed') }, ...WORK] },
    { steps: WORK },
  ]);
  const task = await rig.task('T');
  const convoy = await rig.launch(task, await rig.task('U'));
  // Killed with the attempt's branch on origin and no record of it.
  expect(await endOf(engines.start(rig, { crashAt: 'branch-sent:2' }))).toBe('SIGKILL');
  expect(Object.keys(rig.origin.heads()).some((name) => name.includes('/task/'))).toBe(true);
  expect((await rig.branches(convoy)).find(({ name }) => name.includes('/task/'))?.pushed).toBe(
    null,
  );
  // What is cut off is also deleted without ever having been recorded.
  rig.server.fail(503);
  const engine = engines.start(rig);
  await rig.until('merged', async () => (await rig.status(task)) === 'merged');
  rig.server.fail(null);
  writeFileSync(rig.path('crashed'), '');
  await rig.settled(convoy, 'landed');
  await rig.gone(convoy);
  await engines.stop(engine);
  expect(Object.keys(rig.origin.heads())).toEqual(['main']);
});

async function kindsIn(rig: RemoteRig): Promise<string[]> {
  const rows = await rig.services.ledger.db
    .selectFrom('event')
    .select('kind')
    .orderBy('id')
    .execute();
  return rows.map(({ kind }) => kind);
}
