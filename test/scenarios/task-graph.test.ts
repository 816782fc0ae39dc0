import { expect, test } from 'vitest';
import { why } from '../../src/contract/routes/convoys.ts';
import {
  addDependency,
  closeTask,
  createTask,
  editTask,
  removeDependency,
  retryTask,
  showTask,
} from '../../src/contract/routes/tasks.ts';
import { decideTask } from '../../src/domain/work/decide.ts';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import { ok } from '../../src/lib/result.ts';
import { makeApi, TWO_REPOS, type ApiRig } from '../api/rig.ts';

const edgesOf = async (api: ApiRig, id: string): Promise<string[]> =>
  (await api.ask(showTask, { params: { id } })).task.depends_on.map((edge) => edge.id);

test('KG-20 KG-21 KG-22 edges are exactly those that were asked for, seen from both ends', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const b = await api.task('b', { depends_on: [{ on: a }] });
  const c = await api.task('c', { depends_on: [{ on: a }, { on: b }] });
  expect(await edgesOf(api, a)).toEqual([]);
  expect(await edgesOf(api, b)).toEqual([a]);
  expect(await edgesOf(api, c)).toEqual([a, b]);
  const { task } = await api.ask(showTask, { params: { id: a } });
  expect(task.blocks.map(({ id, kind }) => [id, kind])).toEqual([
    [b, 'blocks'],
    [c, 'blocks'],
  ]);
});

test('KG-24 KG-30 an edge to a task that does not exist is refused, and the task is not written', async () => {
  const api = await makeApi();
  const problem = await api.refusal(createTask, {
    body: { title: 'x', depends_on: [{ on: 'web-zzz' }] },
  });
  expect(problem).toMatchObject({ kind: 'not_found', code: 'task_not_found' });
});

test('KG-26 GT-28 the same edge named twice at creation is one edge', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const b = await api.task('b', { depends_on: [{ on: a }, { on: a }] });
  expect(await edgesOf(api, b)).toEqual([a]);
});

test('GT-28 two kinds between the same pair are two edges and one wait', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  await api.after(b, a);
  await api.after(b, a, { kind: 'merge-blocks' });
  const staged = await api.stage([a, b]);
  expect(staged.waves[1]?.tasks).toMatchObject([{ id: b, blocked_by: [a] }]);
  await api.ask(removeDependency, { params: { id: b, on: a } });
  expect(await edgesOf(api, b)).toEqual([]);
});

test('GT-7 GT-8 the four ordering kinds order, every other word is only kept', async () => {
  const api = await makeApi();
  const first = await api.task('first');
  const orders = async (kind: string): Promise<boolean> => {
    const task = await api.task(kind, { depends_on: [{ on: first, kind }] });
    const staged = await api.stage([first, task], { title: kind });
    const { waves } = staged;
    await api.ask(removeDependency, { params: { id: task, on: first } });
    return waves.length === 2;
  };
  const ordering: string[] = [];
  for (const kind of [
    'blocks',
    'conditional-blocks',
    'waits-for',
    'merge-blocks',
    'related',
    'tracks',
    'my-word',
  ])
    if (await orders(kind)) ordering.push(kind);
  expect(ordering).toEqual(['blocks', 'conditional-blocks', 'waits-for', 'merge-blocks']);
});

test('a related edge may go in circles, because it orders nothing', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  await api.after(a, b, { kind: 'related' });
  await api.after(b, a, { kind: 'related' });
  expect((await api.stage([a, b])).waves).toHaveLength(1);
});

test('KG-25 a cycle over mixed kinds and through epics is refused with its path', async () => {
  const api = await makeApi();
  const [one, two] = [await api.epic('One'), await api.epic('Two')];
  const [a, b] = [await api.task('a', { parent: one }), await api.task('b', { parent: two })];
  await api.after(two, one);
  const problem = await api.refusal(addDependency, {
    params: { id: a },
    body: { on: b, kind: 'waits-for' },
  });
  expect(problem).toMatchObject({ kind: 'refused', code: 'cycle' });
  expect(problem.ids).toEqual(expect.arrayContaining([a]));
});

test('KG-25 a chain of five and five side by side are fine', async () => {
  const api = await makeApi();
  const chain: string[] = [];
  for (let at = 0; at < 5; at++) {
    const last = chain.at(-1);
    chain.push(await api.task(`c${at}`, { depends_on: last === undefined ? [] : [{ on: last }] }));
  }
  expect((await api.stage(chain)).waves).toHaveLength(5);
  const loose: string[] = [];
  for (let at = 0; at < 5; at++) loose.push(await api.task(`l${at}`));
  expect((await api.stage(loose)).waves).toHaveLength(1);
});

test('moving a task under an epic that waits for it is refused, and nothing moves', async () => {
  const api = await makeApi();
  const epic = await api.epic('Later');
  const a = await api.task('a');
  await api.after(epic, a);
  const problem = await api.refusal(editTask, { params: { id: a }, body: { parent: epic } });
  expect(problem).toMatchObject({ code: 'cycle' });
  expect((await api.ask(showTask, { params: { id: a } })).task.parent).toBeNull();
});

test('KG-16 two tasks with the same title are two tasks', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('same'), await api.task('same')];
  expect(a).not.toBe(b);
});

test('KG-14 an unknown repo is not found; with several, one must be named', async () => {
  const api = await makeApi({ config: TWO_REPOS });
  const unknown = await api.refusal(createTask, { body: { title: 'x', repo: 'other' } });
  expect(unknown).toMatchObject({ kind: 'not_found', code: 'repo_not_found' });
  const unsaid = await api.refusal(createTask, { body: { title: 'x' } });
  expect(unsaid).toMatchObject({ kind: 'invalid', code: 'repo_ambiguous' });
  const epic = await api.task('Epic', { type: 'epic', repo: 'api' });
  const child = await api.ask(createTask, { body: { title: 'x', parent: epic } });
  expect(child.task).toMatchObject({ repo: 'api', id: `${epic}.1` });
});

test('children are numbered below their parent, three levels deep and no deeper', async () => {
  const api = await makeApi();
  let id = await api.epic('0');
  for (const level of ['1', '2', '3']) {
    const child = await api.epic(level, id);
    expect(child).toBe(`${id}.1`);
    id = child;
  }
  const problem = await api.refusal(createTask, { body: { title: 'too deep', parent: id } });
  expect(problem).toMatchObject({ kind: 'refused', code: 'too_deep' });
});

test('KG-33 the last of a diamond is free only when both before it are done', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  const c = await api.task('c', { depends_on: [{ on: a }, { on: b }] });
  await api.stage([a, b, c]);
  const blockers = async (): Promise<string[]> => {
    const { reasons } = await api.ask(why, { params: { id: c } });
    return reasons.filter(({ code }) => code === 'blocked_by_open').flatMap(({ ids }) => ids);
  };
  expect(await blockers()).toEqual([a, b]);
  await api.ask(closeTask, { params: { id: a }, body: {} });
  expect(await blockers()).toEqual([b]);
  await api.ask(closeTask, { params: { id: b }, body: {} });
  expect(await blockers()).toEqual([]);
});

test('KG-37 KG-38 what waits for a failed task is held by the failure until that is retried', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const b = await api.task('b', { depends_on: [{ on: a }] });
  await fail(api, a);
  const codes = async (): Promise<string[]> =>
    (await api.ask(why, { params: { id: b } })).reasons.map(({ code }) => code);
  expect(await codes()).toContain('blocked_by_failure');
  await api.ask(retryTask, { params: { id: a }, body: {} });
  expect(await codes()).toContain('blocked_by_open');
  expect(await codes()).not.toContain('blocked_by_failure');
});

test('an epic closes by itself with its last child, and opens again with a new one', async () => {
  const api = await makeApi();
  const epic = await api.epic('Epic');
  const [a, b] = [await api.task('a', { parent: epic }), await api.task('b', { parent: epic })];
  const status = async (): Promise<string> =>
    (await api.ask(showTask, { params: { id: epic } })).task.status;
  const early = await api.refusal(closeTask, { params: { id: epic }, body: {} });
  expect(early).toMatchObject({ code: 'open_children' });
  await api.ask(closeTask, { params: { id: a }, body: {} });
  expect(await status()).not.toBe('closed');
  await api.ask(closeTask, { params: { id: b }, body: {} });
  expect(await status()).toBe('closed');
  await api.task('c', { parent: epic });
  expect(await status()).not.toBe('closed');
  expect(await api.verified()).toBe(true);
});

/** As the engine would after the last attempt. */
async function fail(api: ApiRig, id: string): Promise<void> {
  await api.services.ledger.write('engine', async (tx) => {
    const stored = await tx.load(taskAggregate, id);
    if (stored === null) throw new Error(`No task ${id}`);
    const decision = decideTask(stored.state, { type: 'fail', reason: 'three attempts failed' });
    if (!decision.ok) throw new Error(decision.error.kind);
    await tx.record(taskAggregate, id, decision.value);
    return ok(null);
  });
}
