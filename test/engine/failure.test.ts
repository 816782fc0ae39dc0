import { existsSync, writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { removeFromConvoy, why } from '../../src/contract/routes/convoys.ts';
import { retryTask, skipTask } from '../../src/contract/routes/tasks.ts';
import { engineRig, WORK } from './rig.ts';

const NOTHING = [{ do: 'lie', text: 'All done, everything works.' }];

test('an agent that exits 0 without a change has failed; its word completes nothing', async () => {
  const rig = await engineRig({
    scripts: [{ when: { title: 'liar' }, steps: NOTHING }, { steps: WORK }],
  });
  const liar = await rig.task('liar');
  const next = await rig.task('next');
  const free = await rig.task('free');
  await rig.after(next, liar);
  const id = await rig.launch(liar, next, free);
  rig.start();
  const convoy = await rig.settled(id, 'stalled');

  const attempts = await rig.attempts(liar);
  expect(attempts.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
  for (const { reason } of attempts) expect(reason).toMatch(/^no change/);
  expect(await rig.status(liar)).toBe('failed');
  expect(await rig.status(next)).toBe('open');
  expect(await rig.status(free)).toBe('merged');
  expect(convoy.reason).toBe(`${liar} failed, which holds 1 task`);
  const answer = await rig.call(why, { params: { id: next } });
  expect(answer.state).toBe('held');
  expect(answer.reasons.map(({ code }) => code)).toContain('blocked_by_failure');

  rig.play([{ steps: WORK }]);
  await rig.call(retryTask, { params: { id: liar }, body: {} });
  await rig.settled(id, 'landed');
  expect(await rig.status(next)).toBe('merged');
});

test('a stalled convoy goes on when the failed task is skipped, or removed', async () => {
  const rig = await engineRig({
    workspace: { attempts: 1 },
    scripts: [{ when: { title: 'bad*' }, steps: [{ do: 'crash' }] }, { steps: WORK }],
  });
  const bad = await rig.task('bad');
  const after = await rig.task('after');
  await rig.after(after, bad);
  const first = await rig.launch(bad, after);
  const bad2 = await rig.task('bad 2');
  const good2 = await rig.task('good 2');
  const second = await rig.launch(bad2, good2);
  rig.start();
  await rig.settled(first, 'stalled');
  await rig.call(skipTask, { params: { id: bad }, body: {} });
  await rig.settled(first, 'landed');
  expect(await rig.status(after)).toBe('merged');
  await rig.settled(second, 'stalled');
  await rig.call(removeFromConvoy, { params: { id: second }, body: { tasks: [bad2] } });
  await rig.settled(second, 'landed');
});

test('a crashed agent leaves its work on the branch, and the next attempt goes on from it', async () => {
  const rig = await engineRig({
    scripts: [
      {
        when: { attempt: 1 },
        steps: [
          { do: 'write', path: 'committed.txt', content: 'one\n' },
          { do: 'commit', message: 'half' },
          { do: 'write', path: 'uncommitted.txt', content: 'two\n' },
          { do: 'crash', signal: 'SIGKILL' },
        ],
      },
      { steps: [{ do: 'append', path: 'uncommitted.txt', content: 'three\n' }, { do: 'lie' }] },
    ],
  });
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  const [first, second] = await rig.attempts(task);
  expect(first?.status).toBe('failed');
  expect(first?.reason).toContain('SIGKILL');
  expect(rig.git('log', '-1', '--format=%s', `${first?.head}`)).toContain('wip');
  expect(rig.git('show', 'main:committed.txt')).toBe('one');
  expect(rig.git('show', 'main:uncommitted.txt')).toBe('two\nthree');
  expect(second?.number).toBe(2);
  expect(rig.prompt(second!)).toContain('SIGKILL');
});

test('work that an agent finished before it crashed is submitted by an attempt with nothing to add', async () => {
  const rig = await engineRig({
    scripts: [
      { when: { attempt: 1 }, steps: [...WORK.slice(0, 2), { do: 'crash', code: 3 }] },
      { steps: [{ do: 'lie' }] },
    ],
  });
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  expect(await rig.attempts(task)).toHaveLength(2);
  expect(rig.git('show', `main:work/${task}.txt`)).toBe('T');
});

test('with wip = restart the next attempt begins afresh', async () => {
  const rig = await engineRig({
    repo: { wip: 'restart' },
    scripts: [
      {
        when: { attempt: 1 },
        steps: [{ do: 'write', path: 'old.txt', content: '' }, { do: 'crash' }],
      },
      { steps: WORK },
    ],
  });
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  expect(rig.git('ls-tree', '--name-only', 'main')).not.toContain('old.txt');
});

test('exit 75 asks for later and costs no attempt', async () => {
  const rig = await engineRig({
    workspace: { attempts: 1 },
    scripts: [
      { when: { attempt: { from: 1, to: 3 } }, steps: [{ do: 'crash', code: 75 }] },
      { steps: WORK },
    ],
  });
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  expect(await rig.attempts(task)).toHaveLength(4);
});

test('a missing script step or agent is a failure with its reason, not a hang', async () => {
  const rig = await engineRig({
    workspace: { attempts: 1 },
    scripts: [{ when: { title: 'other' }, steps: WORK }],
  });
  const task = await rig.task('T');
  const id = await rig.launch(task);
  rig.start();
  const convoy = await rig.settled(id, 'stalled');
  expect(convoy.tasks[0]?.last_error).toContain('has nothing for task');
});

test('an engine that takes its agents along keeps their work and costs them no attempt', async () => {
  const rig = await engineRig({
    workspace: { attempts: 1 },
    scripts: [
      {
        when: { attempt: 1 },
        steps: [{ do: 'write', path: 'begun.txt', content: 'begun\n' }, { do: 'hang' }],
      },
      { steps: WORK },
    ],
  });
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  rig.start();
  const path = await rig.until(
    'it runs',
    async () => (await rig.attempts(task))[0]?.worktree ?? null,
  );
  await vi.waitFor(() => expect(existsSync(`${path}/begun.txt`)).toBe(true), 20_000);
  await rig.stop({ agents: true });
  const [first] = await rig.attempts(task);
  expect(first).toMatchObject({ status: 'stopped', reason: 'interrupted' });
  expect(await rig.status(task)).toBe('open');
  rig.start();
  await rig.settled(convoy, 'landed');
  expect(rig.git('show', 'main:begun.txt')).toBe('begun');
});

test('KG-82 an engine that stops leaves its agents alone, and the next one takes them up', async () => {
  const rig = await engineRig();
  rig.play([{ steps: [{ do: 'wait-for', path: rig.path('go') }, ...WORK] }]);
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.until('it runs', async () => (await rig.attempts(task))[0]?.status === 'running');
  await rig.stop();
  writeFileSync(rig.path('go'), '');
  rig.start();
  await rig.settled(convoy, 'landed');
  expect((await rig.attempts(task)).map(({ status }) => status)).toEqual(['done']);
});
