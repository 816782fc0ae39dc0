import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { Ran } from '../cli/rig.ts';
import { ranOf } from '../cli/rig.ts';
import { makeQueue, type QueueRig, WRITES_A_FILE } from '../queue/rig.ts';

const sling = (rig: QueueRig, ...words: string[]): Promise<Ran> =>
  ranOf(rig.start(['sling', ...words, '--wait', '--json']));

const codeOf = (ran: Ran): [number | null, string] => [ran.code, ran.json.error.code];

test('GT-123 GT-124 one task gives a convoy "Work: …", several give one "Batch: N tasks", in their order', async () => {
  const rig = await makeQueue({ agent: `ls > "seen-by-$CONVOY_TASK_ID"\n${WRITES_A_FILE}` });
  const alone = await rig.task('Mend the door');
  const one = await sling(rig, alone);
  expect(one.json.convoy).toMatchObject({ status: 'landed', title: 'Work: Mend the door' });

  const [a, b] = [await rig.task('Aa'), await rig.task('Bb')];
  await rig.ok(['task', 'dep', 'add', a, b]);
  const two = await sling(rig, a, b);
  expect(two.json.convoy).toMatchObject({
    status: 'landed',
    title: 'Batch: 2 tasks',
    progress: { required: 2, merged: 2 },
  });
  expect(rig.show('main', `seen-by-${a}`)).toContain(`${b}.txt`);
});

test('GT-122 tasks of two repos in one sling: each goes to its own, and both land', async () => {
  const rig = await makeQueue();
  const other = join(rig.root, 'other');
  mkdirSync(other);
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: other, env: rig.env, encoding: 'utf8', stdio: 'pipe' });
  git('init', '-q', '-b', 'trunk');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  await rig.ok(['repo', 'add', other, '--name', 'api', '--prefix', 'api', '--agent', 'mine']);
  const here = await rig.task('Here', '--repo', 'main');
  const there = await rig.task('There', '--repo', 'api');
  const ran = await sling(rig, here, there);
  expect(ran.json.convoy.status).toBe('landed');
  expect(
    ran.json.convoy.landings
      .map(({ repo, target }: { repo: string; target: string }) => `${repo}:${target}`)
      .toSorted(),
  ).toEqual(['api:trunk', 'main:main']);
  expect(git('show', `trunk:${there}.txt`)).toBe('There\n');
});

test('an epic is staged and launched', async () => {
  const rig = await makeQueue();
  const epic = await rig.task('All of it', '--type', 'epic');
  await rig.task('Aa', '--parent', epic);
  const ran = await sling(rig, epic);
  expect(ran.json.convoy).toMatchObject({ status: 'landed', title: 'All of it' });
});

test('GT-116 finished work is refused, also with --force; GT-117 so is a parked repo', async () => {
  const rig = await makeQueue();
  const [closed, open] = [await rig.task('Over'), await rig.task('Open')];
  await rig.ok(['task', 'close', closed]);
  const events = await rig.events();
  for (const force of [[], ['--force']])
    expect(codeOf(await sling(rig, closed, ...force))).toEqual([1, 'wrong_state']);
  expect(await rig.events()).toBe(events);
  await rig.ok(['repo', 'park', 'main']);
  expect(codeOf(await sling(rig, open))).toEqual([1, 'parked_repo']);
});

test('GT-118 a deferred task is refused; --force starts it now', async () => {
  const rig = await makeQueue();
  const later = await rig.task('Later', '--defer', '2099-01-01');
  expect(codeOf(await sling(rig, later))).toEqual([1, 'wrong_state']);
  const ran = await sling(rig, later, '--force');
  expect(ran.json.convoy.tasks).toMatchObject([{ id: later, status: 'merged' }]);
});

test('a failed task is tried again', async () => {
  const rig = await makeQueue({ agent: 'exit 3' });
  rig.write('.convoy/config.toml', rig.config().replace('# attempts = 3 ', 'attempts = 1 '));
  const task = await rig.task('Hard');
  expect((await sling(rig, task)).json.convoy.status).toBe('stalled');
  rig.agent(WRITES_A_FILE);
  expect((await sling(rig, task)).json.convoy).toMatchObject({
    status: 'landed',
    tasks: [{ id: task, status: 'merged' }],
  });
});

test('tasks of one convoy start there; tasks of several are a conflict that names them', async () => {
  const rig = await makeQueue();
  const [a, b, c] = [await rig.task('Aa'), await rig.task('Bb'), await rig.task('Cc')];
  const { convoy: first } = await rig.ok(['create', 'First', a, b]);
  const { convoy: second } = await rig.ok(['create', 'Second', c]);
  const spread = await sling(rig, a, c);
  expect(codeOf(spread)).toEqual([4, 'spread_over_convoys']);
  for (const word of [a, c, first.id, second.id]) expect(spread.json.error.message).toContain(word);
  const ran = await sling(rig, a);
  expect(ran.json.convoy).toMatchObject({ id: first.id, status: 'landed' });
  expect(ran.json.convoy.progress).toMatchObject({ required: 2, merged: 2 });
  expect((await rig.status(second.id)).feeding).toBe(false);
});

test('GT-120 two slings of one task at once: one convoy, one attempt', async () => {
  const rig = await makeQueue();
  const task = await rig.task('Aa');
  await Promise.all([rig.convoy(['sling', task, '--json']), rig.convoy(['sling', task, '--json'])]);
  await rig.until(
    () => rig.ok(['task', 'show', task]),
    ({ task: { status } }) => status === 'merged',
  );
  expect((await rig.ok(['task', 'show', task])).task.attempts).toBe(1);
  expect((await rig.ok(['list', '--all'])).convoys).toHaveLength(1);
});

test('GT-127 an agent cannot sling', async () => {
  const rig = await makeQueue({
    agent: `"${process.execPath}" "$PWD_OF_TEST/bin/convoy.js" sling "$CONVOY_TASK_ID" --json > said.json || echo $? > code.txt`,
  });
  rig.repoSettings('env = ["PWD_OF_TEST"]');
  const task = await rig.task('Aa');
  const ran = await ranOf(
    rig.start(['sling', task, '--wait', '--json'], { env: { PWD_OF_TEST: process.cwd() } }),
  );
  expect(ran.json.convoy.status).toBe('landed');
  expect(JSON.parse(rig.show('main', 'said.json')).error.code).toBe('role_not_allowed');
  expect(rig.show('main', 'code.txt')).toBe('1');
});

test('GT-132 when every task of a batch fails the exit code says so', async () => {
  const rig = await makeQueue({ agent: 'exit 3' });
  rig.write('.convoy/config.toml', rig.config().replace('# attempts = 3 ', 'attempts = 1 '));
  const ran = await sling(rig, await rig.task('Aa'), await rig.task('Bb'));
  expect(ran.code).toBe(1);
  expect(ran.json.convoy).toMatchObject({ status: 'stalled', progress: { failed: 2 } });
});

test('an agent that nobody configured, an unknown task and a decision are refused with nothing written', async () => {
  const rig = await makeQueue();
  const [task, decision] = [await rig.task('Aa'), await rig.task('Which?', '--type', 'decision')];
  const events = await rig.events();
  expect(codeOf(await sling(rig, task, '--agent', 'nobody'))).toEqual([2, 'agent_unknown']);
  expect((await sling(rig, 'web-zzz')).code).toBe(3);
  expect((await sling(rig, decision)).code).toBe(1);
  expect(await rig.events()).toBe(events);
});
