import { expect, test } from 'vitest';
import {
  addToConvoy,
  cancelConvoy,
  closeConvoy,
  createConvoy,
  listConvoys,
  pauseConvoy,
  removeFromConvoy,
  resumeConvoy,
  showConvoy,
  stranded,
  unwatchConvoy,
  watchConvoy,
  why,
} from '../../src/contract/routes/convoys.ts';
import { closeTask, showTask, skipTask } from '../../src/contract/routes/tasks.ts';
import { branchNames, slug } from '../../src/domain/convoy/slug.ts';
import { convoyId, taskId } from '../../src/domain/work/ids.ts';
import { makeApi, type ApiRig } from '../api/rig.ts';

const tracked = async (api: ApiRig, id: string): Promise<string[]> =>
  (await api.ask(showConvoy, { params: { id } })).convoy.tasks.map((task) => task.id);

test('GT-67 an epic gives the name and its dispatchable tasks; a name given wins', async () => {
  const api = await makeApi();
  const epic = await api.epic('Health');
  const a = await api.task('a', { parent: epic });
  await api.task('Which?', { parent: epic, type: 'decision' });
  const { convoy } = await api.ask(createConvoy, { body: { from_epic: epic } });
  expect(convoy).toMatchObject({ title: 'Health', status: 'open', feeding: false });
  expect(convoy.tasks.map(({ id }) => id)).toEqual([a]);
  await api.ask(cancelConvoy, { params: { id: convoy.id }, body: {} });
  const other = await api.epic('Other');
  await api.task('b', { parent: other });
  const named = await api.ask(createConvoy, { body: { title: 'Mine', from_epic: other } });
  expect(named.convoy.title).toBe('Mine');
});

test('GT-67 what cannot be tracked is refused and leaves nothing behind', async () => {
  const api = await makeApi();
  const [a, epic] = [await api.task('a'), await api.epic('Epic')];
  const decision = await api.task('Which?', { type: 'decision' });
  const refusals = [
    await api.refusal(createConvoy, { body: { title: 'x', tasks: [a, epic] } }),
    await api.refusal(createConvoy, { body: { title: 'x', tasks: [decision] } }),
    await api.refusal(createConvoy, { body: { title: 'x', from_epic: a } }),
    await api.refusal(createConvoy, { body: { title: 'x', tasks: [a], from_epic: epic } }),
    await api.refusal(createConvoy, { body: { title: 'x', tasks: [a, 'web-zz'] } }),
  ];
  expect(refusals.map(({ code }) => code)).toEqual([
    'not_dispatchable',
    'not_dispatchable',
    'not_an_epic',
    'mixed_input',
    'task_not_found',
  ]);
});

test('GT-68 OVERRIDDEN by the spec: the first word is the name, and a task id is no name', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const problem = await api.refusal(createConvoy, { body: { title: a } });
  expect(problem).toMatchObject({ kind: 'invalid', code: 'name_is_a_task' });
  expect(problem.remedy).toContain(`convoy create "…" ${a}`);
  for (const title of ['Deploy v2', 'a-b', 'GT-1'])
    expect((await api.ask(createConvoy, { body: { title } })).convoy.title).toBe(title);
});

test('GT-70 an empty convoy is open, said to be empty, and can be closed', async () => {
  const api = await makeApi();
  const { convoy } = await api.ask(createConvoy, { body: { title: 'Empty' } });
  const { reasons } = await api.ask(why, { params: { id: convoy.id } });
  expect(reasons.map(({ code }) => code)).toContain('convoy_empty');
  expect((await api.ask(stranded, {})).convoys.map(({ id }) => id)).toEqual([convoy.id]);
  const closed = await api.ask(closeConvoy, { params: { id: convoy.id }, body: {} });
  expect(closed.convoy.status).toBe('closed');
});

test('what is only staged is planned, not stranded', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  await api.after(a, await api.task('Which?', { type: 'decision' }));
  await api.stage([a]);
  expect(await api.ask(stranded, {})).toMatchObject({ convoys: [], tasks: [] });
  const { convoy } = await api.ask(createConvoy, { body: { title: 'x', tasks: [b] } });
  expect((await api.ask(stranded, {})).convoys.map(({ id }) => id)).toEqual([convoy.id]);
});

test('GT-72 closing with open tasks is refused and lists them; closing twice changes nothing', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  const { convoy } = await api.ask(createConvoy, { body: { title: 'x', tasks: [a, b] } });
  const params = { id: convoy.id };
  await api.ask(closeTask, { params: { id: a }, body: {} });
  const problem = await api.refusal(closeConvoy, { params, body: {} });
  expect(problem).toMatchObject({ code: 'open_tasks' });
  expect(problem.message).toContain(b);
  expect(problem.message).not.toContain(a);
  await api.ask(skipTask, { params: { id: b }, body: {} });
  const closed = await api.ask(closeConvoy, { params, body: { reason: 'all told' } });
  expect(closed.convoy).toMatchObject({ status: 'closed', reason: 'all told' });
  const before = await api.events();
  expect((await api.ask(closeConvoy, { params, body: {} })).convoy.status).toBe('closed');
  expect(await api.events()).toBe(before);
});

test('GT-72 KG-67 OVERRIDDEN by the spec: force cancels, it never says landed or closed', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  const { convoy_id: id } = await api.stage([a, b]);
  const params = { id: id ?? '' };
  await api.ask(closeTask, { params: { id: a }, body: {} });
  const { convoy } = await api.ask(closeConvoy, {
    params,
    body: { force: true, reason: 'plan changed' },
  });
  expect(convoy).toMatchObject({ status: 'cancelled', reason: 'plan changed', feeding: false });
  const [done, dropped] = [
    await api.ask(showTask, { params: { id: a } }),
    await api.ask(showTask, { params: { id: b } }),
  ];
  expect(done.task.status).toBe('closed');
  expect(dropped.task).toMatchObject({ status: 'cancelled', outcome: `${id}: plan changed` });
  const before = await api.events();
  await api.ask(closeConvoy, { params, body: { force: true } });
  expect(await api.events()).toBe(before);
  expect((await api.ask(listConvoys, {})).convoys).toEqual([]);
  expect((await api.ask(listConvoys, { query: { all: 'true' } })).convoys).toHaveLength(1);
});

test('GT-73 adding to a closed convoy opens it again', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  const { convoy } = await api.ask(createConvoy, { body: { title: 'x', tasks: [a] } });
  const params = { id: convoy.id };
  await api.ask(closeTask, { params: { id: a }, body: {} });
  await api.ask(closeConvoy, { params, body: {} });
  const added = await api.ask(addToConvoy, { params, body: { tasks: [b, a] } });
  expect(added).toMatchObject({ added: [b], convoy: { status: 'open', reason: null } });
  expect(added.convoy.progress).toMatchObject({ required: 2, done: 1 });
  expect((await api.ask(listConvoys, {})).convoys.map(({ id }) => id)).toEqual([convoy.id]);
});

test('GT-73 OVERRIDDEN by the spec: adding is whole or not at all, so a bad id adds nothing', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  const { convoy } = await api.ask(createConvoy, { body: { title: 'x', tasks: [a] } });
  const params = { id: convoy.id };
  await api.refusal(addToConvoy, { params, body: { tasks: [b, 'web-zz'] } });
  expect(await tracked(api, convoy.id)).toEqual([a]);
});

test('KG-75 GT-73 a task added to a staged convoy appears in it, in its wave, and it stays staged', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  await api.after(b, a);
  const { convoy_id } = await api.stage([a]);
  const id = convoy_id ?? '';
  const { convoy } = await api.ask(addToConvoy, { params: { id }, body: { tasks: [b] } });
  expect(convoy).toMatchObject({ status: 'staged_ready', feeding: false });
  expect(convoy.tasks.map((task) => [task.id, task.wave])).toEqual([
    [a, 1],
    [b, 2],
  ]);
  const again = await api.stage([id]);
  expect(again.waves.map(({ tasks }) => tasks.map((task) => task.id))).toEqual([[a], [b]]);
});

test('KG-76 nothing is added to what is no convoy, or to a cancelled one', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  const { convoy } = await api.ask(createConvoy, { body: { title: 'x', tasks: [a] } });
  const none = await api.refusal(addToConvoy, { params: { id: a }, body: { tasks: [b] } });
  expect(none.code).toBe('convoy_not_found');
  await api.ask(cancelConvoy, { params: { id: convoy.id }, body: {} });
  const gone = await api.refusal(addToConvoy, { params: { id: convoy.id }, body: { tasks: [b] } });
  expect(gone).toMatchObject({ code: 'wrong_state', kind: 'refused' });
});

test('a task is in one live convoy at a time', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  const { convoy_id: staged } = await api.stage([a]);
  const taken = await api.refusal(createConvoy, { body: { title: 'x', tasks: [b, a] } });
  expect(taken).toMatchObject({ kind: 'conflict', code: 'already_tracked' });
  expect(taken.message).toContain(`${a} in ${staged}`);
});

test('KG-78 removing what is not tracked changes nothing; KG-39 a removal frees what waited, shown first', async () => {
  const api = await makeApi();
  const [a, b, c, far] = [
    await api.task('a'),
    await api.task('b'),
    await api.task('c'),
    await api.task('far'),
  ];
  await api.after(b, a);
  await api.after(c, b);
  const { convoy_id } = await api.stage([a, b, c]);
  const params = { id: convoy_id ?? '' };
  let before = await api.events();
  const nothing = await api.ask(removeFromConvoy, { params, body: { tasks: [far] } });
  expect(nothing).toMatchObject({ removed: [], untracked: [far], released: [] });
  const preview = await api.ask(removeFromConvoy, { params, body: { tasks: [b], dry_run: true } });
  expect(preview).toMatchObject({ removed: [b], released: [c] });
  expect(await api.events()).toBe(before);
  const removed = await api.ask(removeFromConvoy, { params, body: { tasks: [b] } });
  expect(removed).toMatchObject({ removed: [b], released: [c] });
  expect(removed.convoy.tasks.map((task) => [task.id, task.wave, task.blocked_by])).toEqual([
    [a, 1, []],
    [c, 1, []],
  ]);
  before = await api.events();
  expect(before).toBeGreaterThan(0);
  expect(await api.verified()).toBe(true);
});

test('GT-75 watching twice says so, two at once are both kept, unwatching ends it', async () => {
  const api = await makeApi();
  const { convoy } = await api.ask(createConvoy, { body: { title: 'x' } });
  const params = { id: convoy.id };
  const [one, two] = await Promise.all([
    api.ask(watchConvoy, { params, body: { name: 'ann' } }),
    api.ask(watchConvoy, { params, body: { name: 'bob' } }),
  ]);
  expect([one.already, two.already]).toEqual([false, false]);
  expect((await api.ask(watchConvoy, { params, body: { name: 'ann' } })).already).toBe(true);
  const shown = await api.ask(showConvoy, { params });
  expect(shown.convoy.watchers.toSorted()).toEqual(['ann', 'bob']);
  const off = await api.ask(unwatchConvoy, { params, body: { name: 'ann' } });
  expect(off).toMatchObject({ already: false, convoy: { watchers: ['bob'] } });
  expect((await api.ask(unwatchConvoy, { params, body: { name: 'ann' } })).already).toBe(true);
});

test('GT-76 status shows for each task its wave, what blocks it, worker, attempts and last error', async () => {
  const api = await makeApi();
  const [a, b, c] = [await api.task('a'), await api.task('b'), await api.task('c')];
  await api.after(b, a);
  await api.after(c, b);
  const { convoy_id } = await api.stage([a, b, c]);
  const { convoy } = await api.ask(showConvoy, { params: { id: convoy_id ?? '' } });
  expect(convoy.tasks).toMatchObject([
    { id: a, wave: 1, blocked_by: [], worker: null, attempts: 0, last_error: null },
    { id: b, wave: 2, blocked_by: [a], worker: null, attempts: 0, merged_commit: null },
    { id: c, wave: 3, blocked_by: [b], status: 'open', unverified: false },
  ]);
  const { convoys } = await api.ask(listConvoys, {});
  expect(convoys[0]?.progress).toEqual(convoy.progress);
});

test('pause and resume, said twice, change nothing the second time', async () => {
  const api = await makeApi();
  const { convoy } = await api.ask(createConvoy, { body: { title: 'x' } });
  const params = { id: convoy.id };
  const paused = await api.ask(pauseConvoy, { params, body: { reason: 'demo' } });
  expect(paused.convoy).toMatchObject({ status: 'paused', reason: 'demo' });
  const before = await api.events();
  await api.ask(pauseConvoy, { params, body: {} });
  expect(await api.events()).toBe(before);
  const resumed = await api.ask(resumeConvoy, { params, body: {} });
  expect(resumed.convoy).toMatchObject({ status: 'open', reason: null });
});

test('KG-15 the same request with the same key makes one convoy; another request with it is a conflict', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const send = (body: object): Promise<Response> =>
    api.raw('/api/v1/convoys', {
      method: 'POST',
      headers: { 'idempotency-key': 'k1', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const [first, second] = [
    await send({ title: 'x', tasks: [a] }),
    await send({ title: 'x', tasks: [a] }),
  ];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(await second.json()).toEqual(await first.json());
  expect((await api.ask(listConvoys, {})).convoys).toHaveLength(1);
  const other = await send({ title: 'y' });
  expect(other.status).toBe(409);
  expect(await other.json()).toMatchObject({ code: 'idempotency_conflict' });
});

test('KG-1 KG-4 OVERRIDDEN by the spec: the branch carries the slug and the id of the convoy', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const { convoy } = await api.ask(createConvoy, { body: { title: 'Add User Auth', tasks: [a] } });
  expect(convoy.integration_branch).toBe(`convoy/add-user-auth/${convoy.id}/head`);
  expect(convoy.merge_mode).toBe('review-then-land');
});

test.each([
  ['KG-2', 'Fix: Bug #123 with special characters!!!', 'fix-bug-123-with-special-characters'],
  ['KG-6', '!!!', 'convoy'],
  ['KG-6', '日本語のタイトル', 'convoy'],
  ['KG-7', 'Café crème brûlée', 'cafe-creme-brulee'],
  ['KG-7', `${'x'.repeat(39)}-tail`, 'x'.repeat(39)],
])('%s the title %s gives the slug of a branch that git takes', async (_, title, expected) => {
  expect(slug(title)).toBe(expected);
  const api = await makeApi();
  const { convoy } = await api.ask(createConvoy, { body: { title } });
  api.git('branch', convoy.integration_branch);
  expect(api.git('branch', '--list', 'convoy/*')).toContain(`convoy/${expected}/${convoy.id}/head`);
});

test('KG-10 the branches of a convoy, its tasks and its epics live beside each other in git', async () => {
  const api = await makeApi();
  const names = branchNames('add-auth', convoyId('cv-abc12'));
  const all = [names.head, names.task(taskId('web-1.2'), 1), names.epic(taskId('web-1'))];
  for (const name of all) api.git('branch', name);
  expect(
    api.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/convoy').split('\n'),
  ).toEqual(all.toSorted());
});
