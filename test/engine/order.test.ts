import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { engineRig, WORK } from './rig.ts';

test('GT-57 A → B: B starts only after A has merged, with A in its worktree', async () => {
  const rig = await engineRig();
  const a = await rig.task('A');
  const b = await rig.task('B');
  const c = await rig.task('C');
  await rig.after(b, a);
  const convoy = await rig.launch(a, b, c);
  rig.start();
  await rig.settled(convoy, 'landed');

  const [first] = await rig.attempts(a);
  const [second] = await rig.attempts(b);
  const [change] = await rig.changes(a);
  expect(change?.status).toBe('merged');
  const mergedAt = change?.status === 'merged' ? change.at : Infinity;
  expect(second?.createdAt).toBeGreaterThanOrEqual(mergedAt);
  expect(first?.status).toBe('done');
  // The whole of A's work is where B began.
  expect(rig.git('show', `${second?.base}:work/${a}.txt`)).toBe('A');
  expect(rig.git('ls-tree', '-r', '--name-only', 'main', 'work').split('\n').toSorted()).toEqual(
    [a, b, c].map((id) => `work/${id}.txt`).toSorted(),
  );
});

test('six unblocked tasks with six free slots start in one pass', async () => {
  const rig = await engineRig({ workspace: { max_parallel: 6 } });
  rig.play([{ steps: [{ do: 'wait-for', path: rig.path('go') }, ...WORK] }]);
  const ids = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => rig.task(`T${n}`)));
  const convoy = await rig.launch(...ids);
  rig.start();
  await rig.until('all six running', async () => {
    const { db } = rig.services.ledger;
    const rows = await db.selectFrom('attempt').select('status').execute();
    return rows.filter(({ status }) => status === 'running').length === 6;
  });
  // Nobody can have ended before the last one ran: the file they all wait for is not there.
  writeFileSync(rig.path('go'), '');
  const { progress } = await rig.settled(convoy, 'landed');
  expect(progress).toMatchObject({ required: 6, merged: 6 });
});

test('a merge that unblocks six tasks with six free slots starts six in one pass', async () => {
  const rig = await engineRig({ workspace: { max_parallel: 6 } });
  const first = await rig.task('first');
  const six = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => rig.task(`T${n}`)));
  for (const id of six) await rig.after(id, first);
  const convoy = await rig.launch(first, ...six);
  rig.start();
  await rig.settled(convoy, 'landed');

  const events = await rig.services.ledger.db
    .selectFrom('event')
    .select(['kind', 'subject'])
    .orderBy('id')
    .execute();
  const after = events.slice(
    events.findIndex(({ kind, subject }) => kind === 'task-merged' && subject === `task/${first}`),
  );
  const opened = after.flatMap(({ kind }, at) => (kind === 'attempt-opened' ? [at] : []));
  expect(opened).toHaveLength(6);
  // Between the first and the last some began to run, and none ended: the pass that saw the merge opened them all.
  const between = after.slice(opened[0], opened[5]).map(({ kind }) => kind);
  const beginning = new Set([
    'attempt-opened',
    'attempt-started',
    'attempt-running',
    'token-created',
  ]);
  expect(between.filter((kind) => !beginning.has(kind))).toEqual([]);
});
