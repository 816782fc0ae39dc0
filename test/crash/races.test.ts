import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/open.ts';
import { makeCli, ranOf, type Ran } from '../cli/rig.ts';
import { epicOf, plant } from '../plant.ts';

test('one epic staged by four processes at once becomes one convoy', async () => {
  const rig = await makeCli();
  const epic = await rig.task('Epic', '--type', 'epic');
  await rig.task('a', '--parent', epic);
  const staged = await Promise.all([1, 2, 3, 4].map(() => rig.ok(['stage', epic])));
  expect(new Set(staged.map(({ convoy_id }) => convoy_id)).size).toBe(1);
  expect(staged.filter(({ restaged }) => !restaged)).toHaveLength(1);
  expect((await rig.ok(['list'])).convoys).toHaveLength(1);
});

test('one task taken into two convoys at once is in one of them', async () => {
  const rig = await makeCli();
  const a = await rig.task('a');
  const made = await Promise.all(
    ['x', 'y', 'z'].map((name) => rig.convoy(['create', name, a, '--json'])),
  );
  expect(made.map(({ code }) => String(code)).toSorted()).toEqual(['0', '4', '4']);
  expect((await rig.ok(['list'])).convoys).toHaveLength(1);
});

test('edges that together would be a cycle, written at once: one is refused', async () => {
  const rig = await makeCli();
  const [a, b, c] = [await rig.task('a'), await rig.task('b'), await rig.task('c')];
  const edges = [
    [a, b],
    [b, c],
    [c, a],
  ] as const;
  const ran = await Promise.all(
    edges.map(([task, on]) => rig.convoy(['task', 'dep', 'add', task, on, '--json'])),
  );
  expect(ran.map(({ code }) => String(code)).toSorted()).toEqual(['0', '0', '1']);
  expect(ran.find(({ code }) => code === 1)?.json.error.code).toBe('cycle');
  expect((await rig.ok(['stage', a, b, c])).waves).toHaveLength(3);
});

test('kill -9 of the daemon under a stage: the command says so, and the ledger holds all or nothing', async () => {
  const rig = await makeCli();
  const ledger = await openLedger(rig.ledger, Date.now);
  for (let round = 0; round < 5; round++) await plant(ledger, epicOf(`web-e${round}`, 1000));
  await ledger.close();
  for (let round = 0; round < 5; round++) {
    const { pid } = await rig.ok(['up', '--detach']);
    const child = rig.start(['stage', `web-e${round}`, '--json']);
    const done = ranOf(child);
    await Promise.race([pause(60 + Math.random() * 250), once(child, 'exit')]);
    process.kill(pid, 'SIGKILL');
    const ran = await done;
    const { convoys } = await rig.ok(['list']);
    const [mine] = convoys.filter(({ title }: { title: string }) => title === `Task web-e${round}`);
    expect(said(ran)).toMatch(
      mine === undefined
        ? /^(daemon_not_answering|bad_answer)$/
        : /^(staged_warnings|daemon_not_answering|bad_answer)$/,
    );
    expect(mine?.progress.required ?? 1000).toBe(1000);
  }
  expect((await rig.ok(['ledger', 'verify'])).ok).toBe(true);
}, 120_000);

const said = ({ json }: Ran): string => json.error?.code ?? json.status;
