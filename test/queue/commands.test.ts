import { expect, test } from 'vitest';
import { makeQueue, WRITES_A_FILE } from './rig.ts';

test('a paused queue holds submitted work, says so everywhere, and lands it after resume', async () => {
  const rig = await makeQueue();
  const [a, b] = [await rig.task('one'), await rig.task('two', '--priority', '0')];
  const { convoy } = await rig.ok(['create', 'Pair', a, b]);
  const paused = await rig.ok(['queue', 'pause', '--reason', 'release week']);
  expect(paused.queues).toMatchObject([{ repo: 'main', target: '*', paused: true, by: 'person' }]);

  const stalled = await rig.launch(convoy.id);
  expect(stalled.code).toBe(1);
  const list = await rig.ok(['queue', 'list']);
  expect(list).toMatchObject({ schema: 'convoy.v1', paused: true, reason: 'release week' });
  expect(
    list.entries.map(({ task, position, state, repo }: never) => ({ task, position, state, repo })),
  ).toEqual([
    { task: b, position: 1, state: 'queued', repo: 'main' },
    { task: a, position: 2, state: 'queued', repo: 'main' },
  ]);
  expect(list.entries[0]).toMatchObject({ head: expect.stringMatching(/^[0-9a-f]{40}$/) });
  expect(list.entries[0].waiting_s).toBeGreaterThanOrEqual(0);
  const why = await rig.ok(['why', a]);
  expect(why.reasons.map(({ code }: { code: string }) => code)).toEqual([
    'queue_paused',
    'submitted',
  ]);
  expect(why.reasons[1].message).toContain('number 2 of 2');
  const seen = await rig.status(convoy.id);
  expect(seen).toMatchObject({ status: 'stalled' });
  expect(seen.tasks.find(({ id }: { id: string }) => id === a).queue).toMatchObject({
    position: 2,
  });

  await rig.ok(['queue', 'move', a, '--to', '1']);
  expect((await rig.ok(['queue', 'list'])).entries[0].task).toBe(a);

  await rig.ok(['queue', 'resume']);
  await rig.ok(['up', '--detach']);
  await rig.until(
    () => rig.status(convoy.id),
    ({ status }) => status === 'landed',
  );
  expect(rig.show('main', `${a}.txt`)).toBe('one');
  expect(rig.show('main', `${b}.txt`)).toBe('two');
  await rig.convoy(['down']);
});

test('GT-164 a broken gate pauses the queue; queue resume goes on after it is mended', async () => {
  const rig = await makeQueue({ gate: 'exit 127' });
  const task = await rig.task('one');
  const ran = await rig.launch(task);
  expect(ran.code).toBe(1);
  expect(ran.json.convoy).toMatchObject({ status: 'stalled' });
  const { queues, paused } = await rig.ok(['queue', 'list']);
  expect(paused).toBe(true);
  expect(queues.find((queue: { paused: boolean }) => queue.paused)).toMatchObject({ by: 'gate' });
  rig.gate('exit 0');
  await rig.ok(['queue', 'resume', '--repo', 'main']);
  await rig.ok(['up', '--detach']);
  await rig.until(
    () => rig.status(ran.json.convoy.id),
    ({ status }) => status === 'landed',
  );
  await rig.convoy(['down']);
});

test('a red change is retried by hand: its answers are forgotten and its task stands behind it again', async () => {
  const rig = await makeQueue({ gate: 'exit 1' });
  rig.write(
    '.convoy/config.toml',
    rig.config().replace('[workspace]', '[workspace]\nattempts = 1'),
  );
  const task = await rig.task('one');
  const ran = await rig.launch(task);
  expect(ran.code).toBe(1);
  const { entries } = await rig.ok(['queue', 'list', '--all']);
  expect(entries).toMatchObject([{ task, state: 'red', position: null }]);
  const shown = await rig.ok(['queue', 'show', task]);
  expect(shown.entry.failure).toMatchObject({ gate: 'test' });
  expect((await rig.ok(['task', 'show', task])).task.status).toBe('failed');

  rig.gate('exit 0');
  const retried = await rig.ok(['queue', 'retry', entries[0].id]);
  expect(retried.entry).toMatchObject({ state: 'queued', position: 1 });
  expect((await rig.ok(['task', 'show', task])).task.status).toBe('submitted');
  const again = await rig.convoy(['queue', 'retry', entries[0].id, '--json']);
  expect(again.code).toBe(1);
  expect(again.json.error.code).toBe('wrong_state');
  await rig.ok(['up', '--detach']);
  await rig.until(
    () => rig.status(ran.json.convoy.id),
    ({ status }) => status === 'landed',
  );
  await rig.convoy(['down']);
});

test('a rejected change leaves the queue and the next attempt reads why', async () => {
  const rig = await makeQueue({
    agent: `${WRITES_A_FILE}\nif [ "$CONVOY_ATTEMPT" = 2 ]; then cp "$CONVOY_PROMPT_FILE" prompt.txt; fi`,
  });
  const task = await rig.task('one');
  await rig.ok(['queue', 'pause']);
  const ran = await rig.launch(task);
  expect(ran.code).toBe(1);
  const rejected = await rig.ok(['queue', 'reject', task, '--reason', 'use the other parser']);
  expect(rejected.entry).toMatchObject({ state: 'withdrawn', reason: 'use the other parser' });
  expect((await rig.ok(['task', 'show', task])).task).toMatchObject({
    status: 'open',
    outcome: 'use the other parser',
  });
  await rig.ok(['queue', 'resume']);
  await rig.ok(['up', '--detach']);
  await rig.until(
    () => rig.status(ran.json.convoy.id),
    ({ status }) => status === 'landed',
  );
  expect(rig.show('main', 'prompt.txt')).toContain('use the other parser');
  await rig.convoy(['down']);
});

test('unknown names and impossible moves are refused with the right exit code', async () => {
  const rig = await makeQueue();
  expect((await rig.convoy(['queue', 'show', 'ch-none', '--json'])).code).toBe(3);
  expect((await rig.convoy(['queue', 'pause', '--repo', 'nowhere', '--json'])).code).toBe(3);
  expect((await rig.convoy(['queue', 'move', 'ch-none', '--to', '0'])).code).toBe(2);
  expect((await rig.convoy(['queue', 'list'])).stdout).toContain('Nothing is queued.');
  expect((await rig.ok(['queue', 'list'])).entries).toEqual([]);
});

test('KG-67 KG-68 cancel withdraws what is queued; nothing of it lands later and branches stay', async () => {
  const rig = await makeQueue();
  const task = await rig.task('one');
  await rig.ok(['queue', 'pause']);
  const ran = await rig.launch(task);
  const before = rig.git('rev-parse', 'main');
  const id = ran.json.convoy.id;
  await rig.ok(['close', id, '--force', '--reason', 'plan changed']);
  expect((await rig.ok(['queue', 'list', '--all'])).entries).toMatchObject([
    { task, state: 'withdrawn', reason: expect.stringContaining('plan changed') },
  ]);
  await rig.ok(['queue', 'resume']);
  const other = await rig.task('two');
  const second = await rig.launch(other);
  expect(second.code).toBe(0);
  expect((await rig.status(id)).status).toBe('cancelled');
  expect((await rig.ok(['task', 'show', task])).task.status).toBe('cancelled');
  expect(rig.git('ls-tree', '--name-only', 'main')).toBe(`${other}.txt`);
  expect(rig.git('for-each-ref', '--format=%(refname)', 'refs/heads/convoy')).toContain(task);
  expect(before).not.toBe(rig.git('rev-parse', 'main'));
});
