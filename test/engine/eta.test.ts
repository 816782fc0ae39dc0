import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { convoyPage } from '../../src/cli/render/convoy-view.ts';
import { pauseConvoy, resumeConvoy, showConvoy } from '../../src/contract/routes/convoys.ts';
import type { ConvoyJson } from '../../src/contract/schemas/convoy.ts';
import { recentPace } from '../../src/ledger/queries/recent-pace.ts';
import { type EngineRig, engineRig, WORK } from './rig.ts';

const show = async (rig: EngineRig, id: string): Promise<ConvoyJson> =>
  (await rig.call(showConvoy, { params: { id } })).convoy;

test('status says when a convoy will be through, once there is something to go by', async () => {
  const rig = await engineRig({ workspace: { max_parallel: 1 } });
  const hurry = { steps: WORK };
  const waits = { when: { title: 'Wait*' }, steps: [{ do: 'wait-for', path: rig.path('go') }] };
  rig.play([{ ...waits, steps: [...waits.steps, ...WORK] }, hurry]);
  const first = await rig.launch(await rig.task('Wait for it'));
  rig.start();
  await rig.until('running', async () => (await show(rig, first)).progress.running === 1);
  // Nothing was ever measured here.
  expect((await show(rig, first)).eta).toBeNull();
  writeFileSync(rig.path('go'), '');
  expect((await rig.settled(first, 'landed')).eta).toBeNull();
  const measured = (await recentPace(rig.services.ledger.db, ['main'])).get('main')?.attemptMs ?? 0;
  expect(measured).toBeGreaterThan(0);

  await rig.stop();
  const tasks = [await rig.task('A'), await rig.task('B'), await rig.task('C')];
  await rig.after(tasks[1]!, tasks[0]!);
  const second = await rig.launch(...tasks);
  const before = Date.now();
  const convoy = await show(rig, second);
  // One at a time: all three after each other, whatever else they wait for.
  expect(Date.parse(convoy.eta ?? '') - before).toBeGreaterThanOrEqual(3 * measured);
  expect(Date.parse(convoy.eta ?? '') - before).toBeLessThan(6 * measured + 60_000);
  const page = convoyPage(convoy, { color: false, columns: 120, now: Date.now });
  expect(page.find((line) => line.startsWith('ready by'))).toMatch(
    /^ready by +about \d{4}-\d\d-\d\dT\d\d:\d\dZ \((just now|in \d+[smh])\), if nothing fails$/,
  );
  await rig.call(pauseConvoy, { params: { id: second }, body: {} });
  expect((await show(rig, second)).eta).toBeNull();
  await rig.call(resumeConvoy, { params: { id: second }, body: {} });
  rig.start();
  await rig.settled(second, 'landed');
});
