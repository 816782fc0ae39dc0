import { expect, onTestFinished, test } from 'vitest';
import { driveRun } from '../../src/engine/ship/drive-run.ts';
import { noticeLostRuns } from '../../src/ledger/runs.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { effectsOf, openRun, openWorld } from '../ship-run/rig.ts';
import { tempDir } from '../ship-run/temp.ts';
import { borrowDatabase, hasPostgres } from './database.ts';

test.skipIf(!hasPostgres())('a run is carried out on Postgres as on a file', async () => {
  using temp = tempDir();
  const { url, giveBack } = await borrowDatabase();
  onTestFinished(giveBack);
  const world = await openWorld(temp.path, {}, url);
  const { run } = await openRun(temp.path, world, { autoApprove: true });
  const { signal } = new AbortController();
  const driven = await driveRun(world, run, { wait: false, signal });
  expect(driven.ok && driven.value.status).toBe('succeeded');
  expect(effectsOf(temp.path).map((line) => line.split(' ')[0])).toEqual(['rehearse', 'branch']);
  expect(await noticeLostRuns(world.ledger, world.isGone)).toEqual([]);
  expect((await verifyLedger(world.ledger.db)).problems).toEqual([]);
  await world.ledger.close();
});
