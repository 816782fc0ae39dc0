import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noticeLostRuns } from '../../src/ledger/runs.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { bundle, type Bundle } from '../bundle.ts';
import { effectsOf, readRun } from './rig.ts';
import { drive, onOwnLedgers, resume } from './run-steps.ts';
import { tempDir } from './temp.ts';

const { placeIn, begin } = onOwnLedgers();

let driver: Bundle;
beforeAll(async () => {
  driver = await bundle(join(import.meta.dirname, 'drive-and-die.ts'));
});
afterAll(() => driver.remove());

const spawned = (dir: string, run: string, point: number, when: string) =>
  spawnSync(process.execPath, [driver.file, dir, placeIn(dir), run, String(point), when], {
    encoding: 'utf8',
  });

/** How often the ledger is written to by a run that nobody disturbs. */
async function journalPoints(): Promise<number> {
  using temp = tempDir();
  const { world, run } = await begin(temp.path, {}, { autoApprove: true });
  await world.ledger.close();
  return Number(spawned(temp.path, run, 0, 'never').stdout);
}

test('DC-37 killed at any point of its journal, a run goes on and does nothing twice', async () => {
  const points = await journalPoints();
  expect(points).toBeGreaterThan(8);
  for (let point = 1; point <= points; point += 1) {
    using temp = tempDir();
    const { world, run } = await begin(temp.path, {}, { autoApprove: true });
    const killed = spawned(temp.path, run, point, point % 2 === 0 ? 'before' : 'after');
    await noticeLostRuns(world.ledger, world.isGone);
    const found = await readRun(world.ledger, run);
    const rehearsed = found.stages.some(
      ({ stage, status }) => stage === 'rehearse' && status === 'succeeded',
    );
    const before = effectsOf(temp.path).filter((line) => line.startsWith('rehearse')).length;
    if (found.status === 'interrupted') await resume(world, run);
    const last = await drive(world, run);
    const effects = effectsOf(temp.path).map((line) => line.split(' ')[0]);
    const tries = effects.filter((word) => word === 'rehearse').length;
    expect({
      signal: killed.signal,
      status: last.status,
      branches: effects.filter((word) => word === 'branch').length,
      rehearsedAgain: rehearsed && tries > before,
      problems: (await verifyLedger(world.ledger.db)).problems,
    }).toEqual({
      signal: 'SIGKILL',
      status: 'succeeded',
      branches: 1,
      rehearsedAgain: false,
      problems: [],
    });
    await world.ledger.close();
  }
}, 120_000);
