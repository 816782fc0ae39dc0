import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createConvoy } from '../../src/contract/routes/convoys.ts';
import type { Attempt } from '../../src/domain/work/attempt.ts';
import { type EngineRig, engineRig, WORK } from './rig.ts';

/** Agents that work until the file `go` is there. */
const held = (rig: EngineRig): void =>
  rig.play([{ steps: [{ do: 'wait-for', path: rig.path('go') }, ...WORK] }]);
const release = (rig: EngineRig): void => writeFileSync(rig.path('go'), '');

async function everyAttempt(rig: EngineRig): Promise<Attempt[]> {
  const rows = await rig.services.ledger.db
    .selectFrom('attempt')
    .select('state')
    .orderBy('created_at')
    .execute();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the attempt aggregate writes this column
  return rows.map(({ state }) => JSON.parse(state) as Attempt);
}

const running = (rig: EngineRig, count: number): Promise<Attempt[]> =>
  rig.until(`${count} running`, async () => {
    const live = (await everyAttempt(rig)).filter(({ status }) => status === 'running');
    return live.length >= count && live;
  });

/** The most attempts that were ever open at the same time. */
function widest(attempts: readonly Attempt[]): number {
  const open = (at: number): number =>
    attempts.filter(({ createdAt, endedAt }) => createdAt <= at && (endedAt ?? Infinity) > at)
      .length;
  return Math.max(...attempts.map(({ createdAt }) => open(createdAt)));
}

test('GT-133 the ceiling of the workspace is never passed', async () => {
  const rig = await engineRig({ workspace: { max_parallel: 2 } });
  const ids = await Promise.all([1, 2, 3, 4, 5].map((n) => rig.task(`T${n}`)));
  const convoy = await rig.launch(...ids);
  rig.start();
  await rig.settled(convoy, 'landed');
  expect(widest(await everyAttempt(rig))).toBe(2);
});

test('GT-133 the ceiling of a convoy and of an agent hold as well', async () => {
  const rig = await engineRig({ agents: { slow: { max_parallel: 1 } } });
  held(rig);
  const few = await Promise.all([1, 2, 3].map((n) => rig.task(`C${n}`)));
  const { convoy } = await rig.call(createConvoy, {
    body: { title: 'Narrow', tasks: few, max_parallel: 2, launch: true },
  });
  const slow = await Promise.all([1, 2, 3].map((n) => rig.task(`S${n}`, { agent: 'slow' })));
  const other = await rig.launch(...slow);
  rig.start();
  await running(rig, 3);
  release(rig);
  await rig.settled(convoy.id, 'landed');
  await rig.settled(other, 'landed');
  const all = await everyAttempt(rig);
  expect(widest(all.filter((attempt) => attempt.convoy === convoy.id))).toBe(2);
  expect(widest(all.filter(({ agent }) => agent === 'slow'))).toBe(1);
});

test('GT-86 priority goes first, then the longest remaining path, then age', async () => {
  const rig = await engineRig({ workspace: { max_parallel: 1 } });
  const old = await rig.task('old');
  const young = await rig.task('young');
  const long = await rig.task('long');
  const behind = await rig.task('behind');
  const urgent = await rig.task('urgent', { priority: 0 });
  await rig.after(behind, long);
  const convoy = await rig.launch(old, young, long, behind, urgent);
  rig.start();
  await rig.settled(convoy, 'landed');
  const order = (await everyAttempt(rig)).map(({ task }) => task as string);
  expect(order[0]).toBe(urgent);
  expect(order[1]).toBe(long);
  expect(order.indexOf(old)).toBeLessThan(order.indexOf(young));
});

test('two convoys share the slots: neither starves the other', async () => {
  const rig = await engineRig({ workspace: { max_parallel: 2 } });
  held(rig);
  const many = await Promise.all([1, 2, 3, 4].map((n) => rig.task(`M${n}`, { priority: 0 })));
  const first = await rig.launch(...many);
  const few = await Promise.all([1, 2].map((n) => rig.task(`F${n}`, { priority: 4 })));
  const second = await rig.launch(...few);
  rig.start();
  const live = await running(rig, 2);
  expect(new Set(live.map(({ convoy }) => convoy))).toEqual(new Set([first, second]));
  release(rig);
  await rig.settled(first, 'landed');
  await rig.settled(second, 'landed');
});
