import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listTasks } from '../../src/contract/routes/tasks.ts';
import { type EngineRig, engineRig, WORK } from './rig.ts';

const COORDINATED = {
  workspace: { max_parallel: 1, dispatch: 'coordinator', coordinator: 'boss' },
  agents: { boss: { timeout: '2s' } },
};

/** Tasks in the order in which they were started. */
async function started(rig: EngineRig, tasks: readonly string[]): Promise<string[]> {
  const first = await Promise.all(
    tasks.map(async (task) => ({ task, at: (await rig.attempts(task))[0]?.createdAt ?? Infinity })),
  );
  return first.toSorted((a, b) => a.at - b.at).map(({ task }) => task);
}

const log = (rig: EngineRig): string =>
  readFileSync(rig.path('.convoy', 'logs', 'engine.log'), 'utf8');

test('a coordinator chooses among ready tasks and may propose children; a wrong answer is passed over and named', async () => {
  const rig = await engineRig(COORDINATED);
  const tasks = [await rig.task('A'), await rig.task('B'), await rig.task('C')];
  const [a = '', b = '', c = ''] = tasks;
  // Asked again without C, it still says C: that is wrong by then.
  const content = JSON.stringify({ order: [c], propose: [{ parent: c, title: 'Also this' }] });
  rig.play([
    { when: { role: 'coordinator' }, steps: [{ do: 'write', path: 'choice.json', content }] },
    { steps: WORK },
  ]);
  const convoy = await rig.launch(...tasks);
  rig.start();
  await rig.settled(convoy, 'landed');
  expect(await started(rig, tasks)).toEqual([c, a, b]);
  expect(log(rig)).toContain(`${c} is not among the ready tasks; the default order applies`);
  const { tasks: all } = await rig.call(listTasks, { query: {} });
  expect(all.filter(({ labels }) => labels.includes('proposed'))).toMatchObject([
    { id: `${c}.1`, title: 'Also this', status: 'open' },
  ]);
});

test.each([
  ['silent', [{ do: 'lie' }], 'it wrote no choice.json'],
  ['slow', [{ do: 'hang' }], 'no answer within 2 s'],
  ['broken', [{ do: 'crash', code: 3 }], 'it failed'],
])(
  'with a coordinator that is %s the default order applies, and that is said',
  async (_, steps, why) => {
    const rig = await engineRig({
      ...COORDINATED,
      scripts: [{ when: { role: 'coordinator' }, steps }, { steps: WORK }],
    });
    const tasks = [await rig.task('A', { priority: 3 }), await rig.task('B', { priority: 0 })];
    const convoy = await rig.launch(...tasks);
    rig.start();
    await rig.settled(convoy, 'landed');
    expect(await started(rig, tasks)).toEqual(tasks.toReversed());
    expect(log(rig)).toContain(`coordinator boss: ${why}; the default order applies`);
  },
);
