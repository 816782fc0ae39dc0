import { copyFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/open.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { type CliRig, makeCli } from '../cli/rig.ts';
import { epicOf, plant } from '../plant.ts';
import { copyOf, createDatabase } from '../postgres/database.ts';
import { onPostgres } from '../postgres/ledger-of-test.ts';

const TASKS = 3000;
const KILLS = 25;

test('GT-51 kill -9 at any moment of a stage leaves no convoy or one whole staged convoy', async () => {
  const rig = await makeCli();
  const template = await planted(rig);
  const whole = await timeOfOneStage(rig, (await template('first')).place);
  const outcomes: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const { place: ledger, remove } = await template(`kill-${kill}`);
    const child = rig.start(['stage', 'web-big'], { env: { CONVOY_LEDGER: ledger } });
    const gone = once(child, 'exit');
    // From before the ledger is opened to after the commit, most of them in between.
    await pause(whole * (0.2 + 0.9 * Math.random()));
    child.kill('SIGKILL');
    await gone;
    outcomes.push(await outcomeIn(rig, ledger));
    await remove();
  }
  expect(outcomes.filter((outcome) => outcome !== 'nothing' && outcome !== 'whole')).toEqual([]);
}, 600_000);

type Template = (name: string) => Promise<{ place: string; remove: () => Promise<void> }>;

/** Copies of a ledger with an epic of many tasks and nothing staged. */
async function planted(rig: CliRig): Promise<Template> {
  const database = onPostgres() ? await createDatabase() : null;
  const first = database?.url ?? join(rig.root, 'template.db');
  const ledger = await openLedger(first, Date.now);
  await plant(ledger, epicOf('web-big', TASKS));
  await ledger.close();
  if (database !== null)
    return async () => {
      const copy = await copyOf(database.name);
      return { place: copy.url, remove: () => copy.drop() };
    };
  return async (name) => {
    const place = join(rig.root, `${name}.db`);
    copyFileSync(first, place);
    return { place, remove: async () => {} };
  };
}

async function timeOfOneStage(rig: CliRig, ledger: string): Promise<number> {
  const start = performance.now();
  const staged = await rig.ok(['stage', 'web-big'], { env: { CONVOY_LEDGER: ledger } });
  expect(staged.waves[0].tasks).toHaveLength(TASKS);
  return performance.now() - start;
}

/** What the next command finds, checked against a replay of every event. */
async function outcomeIn(rig: CliRig, file: string): Promise<string> {
  const { convoys } = await rig.ok(['list', '--all'], { env: { CONVOY_LEDGER: file } });
  const ledger = await openLedger(file, Date.now);
  const { problems } = await verifyLedger(ledger.db);
  await ledger.close();
  if (problems.length > 0) return `broken: ${JSON.stringify(problems)}`;
  if (convoys.length === 0) return 'nothing';
  const [{ status, progress, feeding }] = convoys;
  const isWhole = convoys.length === 1 && progress.required === TASKS && !feeding;
  return isWhole && status === 'staged_warnings' ? 'whole' : `half: ${JSON.stringify(convoys)}`;
}
