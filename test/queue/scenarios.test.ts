import { expect, test } from 'vitest';
import {
  cancelConvoy,
  closeConvoy,
  editConvoy,
  removeFromConvoy,
  showConvoy,
  stageConvoy,
} from '../../src/contract/routes/convoys.ts';
import { listQueue, pauseQueue, resumeQueue, showChange } from '../../src/contract/routes/queue.ts';
import { listEvents } from '../../src/contract/routes/system.ts';
import { closeTask, showTask } from '../../src/contract/routes/tasks.ts';
import { engineRig, type EngineRig, WORK } from '../engine/rig.ts';

const paused = (rig: EngineRig, target?: string): Promise<unknown> =>
  rig.call(pauseQueue, { body: { repo: 'main', ...(target === undefined ? {} : { target }) } });

const show = async (rig: EngineRig, id: string) =>
  (await rig.call(showConvoy, { params: { id } })).convoy;

test('KG-43 KG-62 review-and-merge: each change goes to the default branch, and all merged is landed', async () => {
  const rig = await engineRig({ repo: { merge_mode: 'review-and-merge' } });
  const tasks = [await rig.task('One'), await rig.task('Two')];
  const convoy = await rig.launch(...tasks);
  rig.start();
  const landed = await rig.settled(convoy, 'landed');
  expect(landed.landings).toMatchObject([{ repo: 'main', target: 'main' }]);
  const changes = await rig.changes(convoy);
  expect(changes.map(({ target, landing }) => [target, landing])).toEqual([
    ['main', undefined],
    ['main', undefined],
  ]);
});

test('KG-44 KG-48 KG-50 KG-60 KG-62 by default work collects first; one landing makes it landed, and says when', async () => {
  const rig = await engineRig();
  const tasks = [await rig.task('One'), await rig.task('Two')];
  await paused(rig, 'main');
  const convoy = await rig.launch(...tasks);
  rig.start();
  const held = await rig.until('collected', async () => {
    const seen = await show(rig, convoy);
    return seen.progress.merged === 2 && seen.status !== 'open' && seen;
  });
  expect(held.merge_mode).toBe('review-then-land');
  expect(held.landed_at).toBeNull();
  expect(rig.git('ls-tree', '-r', '--name-only', 'main')).toBe('README.md');
  const collected = (await rig.changes(convoy)).filter(({ landing }) => landing !== true);
  expect(new Set(collected.map(({ target }) => target))).toEqual(
    new Set([held.integration_branch]),
  );
  await rig.call(resumeQueue, { body: { repo: 'main' } });
  const landed = await rig.settled(convoy, 'landed');
  expect(Date.parse(landed.landed_at ?? '')).toBeGreaterThanOrEqual(Date.parse(landed.created_at));
  await rig.stop();
  rig.start();
  await rig.stop();
  const landings = (await rig.changes(convoy)).filter(({ landing }) => landing === true);
  expect(landings.map(({ target, status }) => [target, status])).toEqual([['main', 'merged']]);
});

test('KG-61 GT-162 what is handed in becomes a change of its task and convoy, and closes both when merged', async () => {
  const rig = await engineRig();
  const task = await rig.task('One');
  await paused(rig);
  const convoy = await rig.launch(task);
  rig.start();
  const { entries } = await rig.until('queued', async () => {
    const list = await rig.call(listQueue, { query: {} });
    return list.entries.length > 0 && list;
  });
  expect(entries).toMatchObject([{ task, convoy, state: 'queued', position: 1 }]);
  expect(await rig.status(task)).toBe('submitted');
  await rig.call(resumeQueue, { body: { repo: 'main' } });
  await rig.settled(convoy, 'landed');
  expect(await rig.status(task)).toBe('merged');
  expect((await rig.call(listQueue, { query: {} })).entries).toEqual([]);
  await expect(rig.call(showChange, { params: { id: 'ch-none' } })).rejects.toThrow('not_found');
});

test('KG-46 a change that is red goes back: its task is open again and nothing more is counted', async () => {
  const rig = await engineRig({
    gates: [{ name: 'test', run: 'test ! -e work/bad.txt' }],
    workspace: { backoff: '10m' },
    scripts: [
      {
        when: { title: 'bad' },
        steps: [{ do: 'write', path: 'work/bad.txt', content: 'x' }, { do: 'lie' }],
      },
      { steps: WORK },
    ],
  });
  const [good, bad] = [await rig.task('good'), await rig.task('bad')];
  const convoy = await rig.launch(good, bad);
  rig.start();
  const seen = await rig.until('sent back', async () => {
    const now = await show(rig, convoy);
    const [task] = now.tasks.filter(({ id }) => id === bad);
    return task?.last_error !== null && now.progress.merged === 1 && now;
  });
  expect(seen.progress).toMatchObject({ required: 2, done: 1, merged: 1, failed: 0 });
  expect((await rig.changes(bad))[0]).toMatchObject({ status: 'red' });
});

test('KG-52 OVERRIDDEN by the spec: a landing that keeps coming back stalls the convoy with the reason', async () => {
  const rig = await engineRig({
    gates: [
      { name: 'change', run: ['true'], phase: 'change' },
      { name: 'landing', run: 'echo "never here"; exit 1', phase: 'landing' },
    ],
  });
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  const stalled = await rig.settled(convoy, 'stalled');
  expect(stalled.reason).toContain('gate landing failed');
  expect(stalled.reason).toContain(`convoy land ${convoy} tries again`);
  expect(rig.git('ls-tree', '-r', '--name-only', 'main')).toBe('README.md');
  const landings = (await rig.changes(convoy)).filter(({ landing }) => landing === true);
  expect(landings.length).toBeGreaterThan(1);
  expect(landings.every(({ status }) => status === 'red')).toBe(true);
});

test('KG-57 work without code leaves nothing to land, and the convoy closes saying so', async () => {
  const rig = await engineRig();
  const tasks = [await rig.task('One'), await rig.task('Two')];
  const convoy = await rig.launch(...tasks);
  for (const id of tasks)
    await rig.call(closeTask, { params: { id }, body: { reason: 'nothing to do' } });
  rig.start();
  expect((await rig.settled(convoy, 'closed')).reason).toBe('nothing to land');
  expect(await show(rig, convoy)).toMatchObject({ landings: [], landed_at: null });
});

test('KG-58 a convoy whose last task was taken out closes', async () => {
  const rig = await engineRig({ scripts: [{ steps: [{ do: 'hang' }] }] });
  const task = await rig.task('One');
  const convoy = await rig.launch(task);
  await rig.call(removeFromConvoy, { params: { id: convoy }, body: { tasks: [task] } });
  rig.start();
  expect((await rig.settled(convoy, 'closed')).reason).toBe('it tracks no task');
});

test('KG-64 another mode in the middle changes later changes only', async () => {
  const rig = await engineRig();
  const [first, second] = [await rig.task('first'), await rig.task('second')];
  await rig.after(second, first);
  await paused(rig);
  const convoy = await rig.launch(first, second);
  rig.start();
  await rig.until('queued', async () => (await rig.status(first)) === 'submitted' || null);
  await rig.call(editConvoy, {
    params: { id: convoy },
    body: { merge_mode: 'review-and-merge' },
  });
  await rig.call(resumeQueue, { body: { repo: 'main' } });
  await rig.until('both merged', async () => (await rig.status(second)) === 'merged' || null);
  const branch = (await show(rig, convoy)).integration_branch;
  expect((await rig.changes(first))[0]?.target).toBe(branch);
  expect((await rig.changes(second))[0]?.target).toBe('main');
});

test('KG-69 a forced close stops working agents and gives their worktrees back', async () => {
  const rig = await engineRig({ scripts: [{ steps: [{ do: 'hang', ignoreTerm: true }] }] });
  const task = await rig.task('One');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.until(
    'running',
    async () => (await rig.attempts(task))[0]?.status === 'running' || null,
  );
  await rig.call(closeConvoy, { params: { id: convoy }, body: { force: true, reason: 'enough' } });
  await rig.until('stopped', async () => {
    const [attempt] = await rig.attempts(task);
    return attempt?.endedAt !== null || null;
  });
  expect((await show(rig, convoy)).status).toBe('cancelled');
  expect(await rig.status(task)).toBe('cancelled');
  await rig.stop();
  const repository = await rig.services.repositories.open(rig.path('main'));
  const held = repository.ok ? await repository.value.worktrees.list() : null;
  expect(held).toMatchObject({ ok: true, value: [] });
});

test('KG-72 a staged convoy that is closed by force starts nothing', async () => {
  const rig = await engineRig();
  const task = await rig.task('One');
  const staged = await rig.call(stageConvoy, { body: { targets: [task] } });
  const convoy = staged.convoy_id ?? '';
  await rig.call(cancelConvoy, { params: { id: convoy }, body: { reason: 'no' } });
  rig.start();
  await rig.stop();
  expect((await show(rig, convoy)).status).toBe('cancelled');
  expect(await rig.status(task)).toBe('cancelled');
  expect(await rig.attempts(task)).toEqual([]);
});

test('GT-158 one writer: landings of many changes never overlap, and each is settled', async () => {
  const rig = await engineRig({ repo: { merge_mode: 'review-and-merge', slots: 4 } });
  const tasks: string[] = [];
  for (let n = 0; n < 5; n++) tasks.push(await rig.task(`T${n}`));
  const convoy = await rig.launch(...tasks);
  rig.start();
  await rig.settled(convoy, 'landed');
  const { events } = await rig.call(listEvents, {
    query: { subject: 'queue/main:main', limit: 1000 },
  });
  const order = events.map(({ kind }) => kind).filter((kind) => kind.startsWith('landing-'));
  expect(order.length).toBeGreaterThan(0);
  expect(order).toEqual(
    order.map((_, place) => (place % 2 === 0 ? 'landing-intended' : 'landing-settled')),
  );
});

test('GT-159 a branch that vanished is no loss while git has the commit', async () => {
  const rig = await engineRig();
  const task = await rig.task('One');
  await paused(rig);
  const convoy = await rig.launch(task);
  rig.start();
  await rig.until('queued', async () => (await rig.status(task)) === 'submitted' || null);
  const [attempt] = await rig.attempts(task);
  rig.git('update-ref', '-d', `refs/heads/${attempt?.branch ?? ''}`);
  await rig.call(resumeQueue, { body: { repo: 'main' } });
  await rig.settled(convoy, 'landed');
  expect(rig.git('show', `main:work/${task}.txt`)).toBe('One');
});

test('GT-171 an agent’s word that it has tested everything is no evidence: the gate runs and is recorded', async () => {
  const rig = await engineRig({
    gates: [{ name: 'test', run: 'test ! -e work/bad.txt' }],
    workspace: { attempts: 1 },
    scripts: [
      {
        steps: [
          { do: 'write', path: 'work/bad.txt', content: 'x' },
          { do: 'commit', message: 'Verified: all gates green' },
          { do: 'print', text: 'all gates passed' },
          { do: 'lie' },
        ],
      },
    ],
  });
  const task = await rig.task('One');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'stalled');
  const { task: seen } = await rig.call(showTask, { params: { id: task } });
  expect(seen).toMatchObject({ status: 'failed', merged: null });
  const [change] = await rig.changes(task);
  const { entry } = await rig.call(showChange, { params: { id: change?.id ?? '' } });
  expect(entry).toMatchObject({ state: 'red', verifications: [{ outcome: 'red' }] });
});
