import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  addToConvoy,
  cancelConvoy,
  createConvoy,
  pauseConvoy,
  resumeConvoy,
  why,
} from '../../src/contract/routes/convoys.ts';
import { parkRepo, unparkRepo } from '../../src/contract/routes/repos.ts';
import { addDependency, closeTask, editTask } from '../../src/contract/routes/tasks.ts';
import { type EngineRig, engineRig, WORK } from './rig.ts';

const HELD = (rig: EngineRig): { do: string; path: string } => ({
  do: 'wait-for',
  path: rig.path('go'),
});

test('a task that runs only if another fails is skipped when that one succeeds', async () => {
  const rig = await engineRig();
  const a = await rig.task('a');
  const only = await rig.task('only if a fails');
  await rig.call(addDependency, {
    params: { id: only },
    body: { on: a, kind: 'conditional-blocks' },
  });
  const convoy = await rig.launch(a, only);
  rig.start();
  await rig.settled(convoy, 'landed');
  expect(await rig.status(only)).toBe('skipped');
});

test('a task that runs only if another fails runs when it fails, and not before', async () => {
  const rig = await engineRig({
    workspace: { attempts: 1 },
    scripts: [{ when: { title: 'a' }, steps: [{ do: 'crash' }] }, { steps: WORK }],
  });
  const a = await rig.task('a');
  const only = await rig.task('only');
  await rig.call(addDependency, {
    params: { id: only },
    body: { on: a, kind: 'conditional-blocks' },
  });
  const convoy = await rig.launch(a, only);
  rig.start();
  await rig.settled(convoy, 'stalled');
  expect(await rig.status(only)).toBe('merged');
});

test('a deferred task starts when its time has come, without anybody asking', async () => {
  const rig = await engineRig();
  const task = await rig.task('T');
  const until = Date.now() + 1500;
  await rig.call(editTask, {
    params: { id: task },
    body: { defer_until: new Date(until).toISOString() },
  });
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  const [first] = await rig.attempts(task);
  expect(first?.createdAt).toBeGreaterThanOrEqual(until);
  expect(first?.createdAt).toBeLessThan(until + 3000);
});

test('a parked repo and a paused convoy start nothing until they may again', async () => {
  const rig = await engineRig();
  const parked = await rig.task('P');
  await rig.call(parkRepo, { params: { name: 'main' }, body: {} });
  const convoy = await rig.launch(parked);
  expect((await rig.call(why, { params: { id: parked } })).reasons[0]?.code).toBe('repo_parked');
  rig.start();
  await rig.call(pauseConvoy, { params: { id: convoy }, body: {} });
  await rig.call(unparkRepo, { params: { name: 'main' } });
  const codes = (await rig.call(why, { params: { id: parked } })).reasons.map(({ code }) => code);
  expect(codes).toEqual(['convoy_paused']);
  expect(await rig.attempts(parked)).toEqual([]);
  await rig.call(resumeConvoy, { params: { id: convoy }, body: {} });
  await rig.settled(convoy, 'landed');
});

test('KG-91 cancelling stops the agents and takes the changes out; late results change nothing', async () => {
  const rig = await engineRig({ workspace: { max_parallel: 2 } });
  rig.play([
    { when: { title: 'queued' }, steps: WORK },
    { steps: [WORK[0]!, { do: 'hang', ignoreTerm: true }] },
  ]);
  rig.config(({ repos }) => {
    repos['main']!['gates'] = [
      { name: 'slow', run: `while ! test -e ${rig.path('go')}; do sleep 0.05; done` },
    ];
  });
  const queued = await rig.task('queued');
  const runs = await rig.task('runs');
  const waits = await rig.task('waits');
  await rig.after(waits, runs);
  const convoy = await rig.launch(queued, runs, waits);
  rig.start();
  await rig.until('one queued, one running', async () => {
    const [change] = await rig.changes(queued);
    const [attempt] = await rig.attempts(runs);
    return change?.status === 'verifying' && attempt?.status === 'running';
  });
  await rig.call(cancelConvoy, { params: { id: convoy }, body: {} });
  await rig.until('the attempt ended', async () => (await rig.attempts(runs))[0]?.endedAt ?? null);
  await rig.until(
    'the change withdrawn',
    async () => (await rig.changes(queued))[0]?.status === 'withdrawn',
  );
  writeFileSync(rig.path('go'), '');
  await rig.stop();
  for (const id of [queued, runs, waits]) expect(await rig.status(id)).toBe('cancelled');
  const [attempt] = await rig.attempts(runs);
  expect(attempt).toMatchObject({ status: 'stopped', reason: 'the task is cancelled' });
  // What it had written is kept on its branch.
  expect(rig.git('show', `${attempt?.branch}:work/${runs}.txt`)).toBe('runs');
  expect(rig.git('rev-list', '--count', 'main')).toBe('1');
});

test('GT-91 why tells the truth about every waiting task of a mixed convoy', async () => {
  const rig = await engineRig({ workspace: { max_parallel: 1 } });
  rig.play([{ steps: [HELD(rig), ...WORK] }]);
  const first = await rig.task('first', { priority: 0 });
  const behind = await rig.task('behind');
  const crowded = await rig.task('crowded');
  const decision = await rig.task('decide', { type: 'decision' });
  const gated = await rig.task('gated');
  await rig.after(behind, first);
  await rig.after(gated, decision);
  const convoy = await rig.launch(first, behind, crowded, gated);
  rig.start();
  await rig.until('it runs', async () => (await rig.attempts(first))[0]?.status === 'running');
  const code = async (id: string): Promise<string | undefined> =>
    (await rig.call(why, { params: { id } })).reasons[0]?.code;
  expect(await code(first)).toBe('running');
  expect(await code(behind)).toBe('blocked_by_open');
  expect(await code(crowded)).toBe('no_capacity');
  expect(await code(gated)).toBe('gated_by_decision');
  writeFileSync(rig.path('go'), '');
  await rig.until('only the gated is left', async () => (await rig.status(behind)) === 'merged');
  await rig.settled(convoy, 'stalled');
  await rig.call(closeTask, { params: { id: decision }, body: { reason: 'yes' } });
  await rig.settled(convoy, 'landed');
});

test('review-and-merge brings each change to the target by itself', async () => {
  const rig = await engineRig({ repo: { merge_mode: 'review-and-merge' } });
  const a = await rig.task('a');
  const b = await rig.task('b');
  await rig.after(b, a);
  const convoy = await rig.launch(a, b);
  rig.start();
  await rig.settled(convoy, 'landed');
  expect((await rig.changes(convoy)).map(({ target }) => target)).toEqual(['main', 'main']);
  expect(rig.git('branch', '--list', 'convoy/*/head')).toBe('');
  expect(rig.git('show', `main:work/${b}.txt`)).toBe('b');
});

test('KG-100 a convoy over two repos lands in both, with one branch name', async () => {
  const rig = await engineRig({ repos: ['main', 'other'] });
  const a = await rig.task('a');
  const b = await rig.task('b', { repo: 'other' });
  await rig.after(b, a);
  const convoy = await rig.launch(a, b);
  rig.start();
  await rig.settled(convoy, 'landed');
  expect(rig.gitIn('main', 'show', `main:work/${a}.txt`)).toBe('a');
  expect(rig.gitIn('other', 'show', `main:work/${b}.txt`)).toBe('b');
  const landings = (await rig.changes(convoy)).filter(({ landing }) => landing === true);
  expect(landings.map(({ repo }) => repo as string).toSorted()).toEqual(['main', 'other']);
});

test.for(['日本語のタスク', 'x'.repeat(300), '-- "quotes" $(touch pwned) `id` \\ ; rm -rf /'])(
  'a default branch develop and a title like %s land',
  async (title) => {
    const rig = await engineRig({ branch: 'develop' });
    const task = await rig.task(title);
    const convoy = await rig.launch(task);
    rig.start();
    await rig.settled(convoy, 'landed');
    expect(rig.git('show', `develop:work/${task}.txt`)).toBe(title);
  },
);

test('GT-70 an empty launched convoy closes; one with nothing to land closes too', async () => {
  const rig = await engineRig({
    scripts: [
      { when: { title: 'undone' }, steps: [{ do: 'delete', path: 'extra.txt' }, { do: 'lie' }] },
      { steps: [{ do: 'write', path: 'extra.txt', content: '' }, { do: 'lie' }] },
    ],
  });
  const { convoy: empty } = await rig.call(createConvoy, {
    body: { title: 'Nothing in it', launch: true },
  });
  const done = await rig.task('done');
  const undone = await rig.task('undone');
  await rig.after(undone, done);
  const both = await rig.launch(done, undone);
  rig.start();
  expect((await rig.settled(empty.id, 'closed')).reason).toBe('it tracks no task');
  expect((await rig.settled(both, 'closed')).reason).toBe('nothing to land');
});

test('epics roll up: in progress with the first start, closed after the last merge', async () => {
  const rig = await engineRig();
  rig.play([{ steps: [HELD(rig), ...WORK] }]);
  const root = await rig.task('root', { type: 'epic' });
  const inner = await rig.task('inner', { type: 'epic', parent: root });
  const a = await rig.task('a', { parent: inner });
  await rig.task('b', { parent: root });
  const convoy = await rig.launch(root);
  rig.start();
  await rig.until('it runs', async () => (await rig.status(a)) === 'in_progress');
  expect(await rig.status(inner)).toBe('in_progress');
  expect(await rig.status(root)).toBe('in_progress');
  writeFileSync(rig.path('go'), '');
  await rig.settled(convoy, 'landed');
  expect(await rig.status(inner)).toBe('closed');
  expect(await rig.status(root)).toBe('closed');
});

test('GT-73 a task added after the landing is worked on and landed as well', async () => {
  const rig = await engineRig();
  const a = await rig.task('a');
  const convoy = await rig.launch(a);
  rig.start();
  await rig.settled(convoy, 'landed');
  const b = await rig.task('b');
  await rig.call(addToConvoy, { params: { id: convoy }, body: { tasks: [b] } });
  await rig.until('b is merged', async () => (await rig.status(b)) === 'merged');
  await rig.settled(convoy, 'landed');
  expect(rig.git('show', `main:work/${b}.txt`)).toBe('b');
});
