import { expect, test } from 'vitest';
import {
  cancelConvoy,
  createConvoy,
  listConvoys,
  showConvoy,
} from '../../src/contract/routes/convoys.ts';
import { closeTask, editTask } from '../../src/contract/routes/tasks.ts';
import { makeApi, TWO_REPOS } from '../api/rig.ts';
import { childOf, epicOf, plant } from '../plant.ts';

const codes = (found: readonly { code: string }[]): string[] => found.map(({ code }) => code);

test('GT-30 one epic, one convoy, or any number of tasks are staged', async () => {
  const api = await makeApi();
  const epic = await api.epic('Health');
  const inEpic = await api.task('Probe', { parent: epic });
  const [bug, feature] = [
    await api.task('Fix', { type: 'bug' }),
    await api.task('Grow', { type: 'feature' }),
  ];
  const staged = await api.stage([epic]);
  expect(staged).toMatchObject({ status: 'staged_ready', errors: [], restaged: false });
  expect(staged.tree.map(({ id }) => id)).toEqual([epic, inEpic]);
  const tasks = await api.stage([bug, feature]);
  expect(tasks).toMatchObject({ status: 'staged_ready', errors: [] });
  const again = await api.stage([tasks.convoy_id ?? '']);
  expect(again).toMatchObject({ convoy_id: tasks.convoy_id, restaged: true });
});

test('GT-30 mixtures of epic, tasks and convoy, and several epics or convoys, are refused', async () => {
  const api = await makeApi();
  const [one, two] = [await api.epic('One'), await api.epic('Two')];
  const [a, b] = [await api.task('a', { parent: one }), await api.task('b')];
  const [left, right] = [await api.stage([a]), await api.stage([b])];
  const [cv, other] = [left.convoy_id ?? '', right.convoy_id ?? ''];
  const before = await api.events();
  for (const mixture of [
    [one, b],
    [one, two],
    [cv, b],
    [cv, one],
    [cv, other],
  ]) {
    const report = await api.stage(mixture);
    expect(report).toMatchObject({ status: 'error', convoy_id: null });
    expect(codes(report.errors)).toEqual(['mixed_input']);
    expect(report.errors[0]?.ids).toEqual(mixture);
    expect(report.errors[0]?.fix).not.toBe('');
  }
  expect(await api.events()).toBe(before);
});

test('GT-30 naming a task twice is naming it once', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const staged = await api.stage([a, a]);
  expect(staged.waves).toMatchObject([{ number: 1, tasks: [{ id: a }] }]);
  expect(staged.title).toBe('Work: a');
});

test('GT-31 an epic is walked three levels down, each task once, with its edges', async () => {
  const api = await makeApi();
  const root = await api.epic('Root');
  const sub = await api.epic('Sub', root);
  const deep = await api.epic('Deep', sub);
  const leaf = await api.task('leaf', { parent: deep });
  const [x, y] = [await api.task('x', { parent: sub }), await api.task('y', { parent: root })];
  await api.after(y, leaf);
  await api.after(leaf, x);
  const staged = await api.stage([root]);
  expect(staged.tree.map(({ id, depth }) => [id, depth])).toEqual([
    [root, 0],
    [sub, 1],
    [deep, 2],
    [leaf, 3],
    [x, 2],
    [y, 1],
  ]);
  expect(staged.waves.map(({ tasks }) => tasks.map(({ id }) => id))).toEqual([[x], [leaf], [y]]);
  expect(staged.critical_path).toEqual([x, leaf, y]);
  expect(staged.tree.find(({ id }) => id === y)?.blocked_by).toEqual([leaf]);
});

test('GT-31 an epic with 120 children is staged whole', async () => {
  const api = await makeApi();
  await plant(api.services.ledger, epicOf('web-big', 120));
  const staged = await api.stage(['web-big']);
  expect(staged.waves).toHaveLength(1);
  expect(staged.waves[0]?.tasks).toHaveLength(120);
  const { convoy } = await api.ask(showConvoy, { params: { id: staged.convoy_id ?? '' } });
  expect(convoy.tasks).toHaveLength(120);
  expect(convoy.progress.required).toBe(120);
});

test('GT-12 a chain of 5,000 tasks is staged as 5,000 waves', async () => {
  const api = await makeApi();
  const [epic, ...children] = epicOf('web-long', 5000);
  await plant(api.services.ledger, [
    ...(epic === undefined ? [] : [epic]),
    ...children.map((task, at) => ({ ...task, after: at === 0 ? [] : [childOf('web-long', at)] })),
  ]);
  const staged = await api.stage(['web-long']);
  expect(staged.errors).toEqual([]);
  expect(staged.waves).toHaveLength(5000);
  expect(staged.waves.at(-1)?.tasks).toMatchObject([
    { id: 'web-long.5000', blocked_by: ['web-long.4999'] },
  ]);
  expect(staged.critical_path).toHaveLength(5000);
});

test('GT-10 two independent cycles are both named, each with its path and a way out', async () => {
  const api = await makeApi();
  await plant(api.services.ledger, [
    { id: 'web-e', type: 'epic' },
    { id: 'web-e.1', parent: 'web-e', after: ['web-e.2'] },
    { id: 'web-e.2', parent: 'web-e', after: ['web-e.1'] },
    { id: 'web-e.3', parent: 'web-e', after: ['web-e.5'] },
    { id: 'web-e.4', parent: 'web-e', after: ['web-e.3'] },
    { id: 'web-e.5', parent: 'web-e', after: ['web-e.4'] },
    { id: 'web-e.6', parent: 'web-e' },
  ]);
  const before = await api.events();
  const staged = await api.stage(['web-e']);
  expect(staged).toMatchObject({ status: 'error', convoy_id: null });
  expect(staged.errors).toMatchObject([
    { code: 'cycle', ids: ['web-e.1', 'web-e.2'] },
    { code: 'cycle', ids: ['web-e.3', 'web-e.5', 'web-e.4'] },
  ]);
  expect(staged.errors[1]?.message).toContain('web-e.3 → web-e.5 → web-e.4 → web-e.3');
  expect(staged.errors[1]?.fix).toBe('Take one edge away: convoy task dep rm web-e.3 web-e.5');
  expect(await api.events()).toBe(before);
});

test('GT-32 an id that does not exist fails the whole stage', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const before = await api.events();
  const report = await api.stage([a, 'web-nope', 'web-neither']);
  expect(report.errors).toMatchObject([
    { code: 'missing_task', ids: ['web-nope'] },
    { code: 'missing_task', ids: ['web-neither'] },
  ]);
  expect(await api.events()).toBe(before);
  expect((await api.ask(listConvoys, {})).convoys).toEqual([]);
});

test('GT-33 tasks are taken exactly as named; a convoy is read from what it tracks', async () => {
  const api = await makeApi();
  const epic = await api.epic('Epic');
  const [a, b, c] = [
    await api.task('a', { parent: epic }),
    await api.task('b', { parent: epic }),
    await api.task('c', { parent: epic }),
  ];
  const staged = await api.stage([a, c]);
  expect(staged.tree.map(({ id }) => id)).toEqual([a, c]);
  const again = await api.stage([staged.convoy_id ?? '']);
  expect(again.tree.map(({ id }) => id)).toEqual([a, c]);
  expect(again.tree.map(({ id }) => id)).not.toContain(b);
});

test('GT-19 an epic with nothing an agent could take is an error', async () => {
  const api = await makeApi();
  const epic = await api.epic('Empty');
  await api.task('Decide', { type: 'decision', parent: epic });
  const done = await api.task('done', { parent: epic });
  await api.ask(closeTask, { params: { id: done }, body: {} });
  const report = await api.stage([epic]);
  expect(codes(report.errors)).toEqual(['nothing_dispatchable']);
});

test('GT-20 GT-21 what a decision gates is listed beside the waves, and is a warning', async () => {
  const api = await makeApi();
  const epic = await api.epic('Epic');
  const decision = await api.task('Which?', { type: 'decision', parent: epic });
  const [a, b, c] = [
    await api.task('a', { parent: epic }),
    await api.task('b', { parent: epic }),
    await api.task('c', { parent: epic }),
  ];
  await api.after(a, decision);
  await api.after(b, a);
  const staged = await api.stage([epic]);
  expect(staged.status).toBe('staged_warnings');
  expect(staged.waves).toMatchObject([{ number: 1, tasks: [{ id: c }] }]);
  expect(staged.gated).toEqual([
    { id: a, gated_by: [decision] },
    { id: b, gated_by: [] },
  ]);
  expect(staged.warnings).toMatchObject([{ code: 'gated', ids: [a, decision] }]);
});

test('many tasks behind the same decision, and many without a repository, are one finding each', async () => {
  const api = await makeApi();
  const decision = await api.task('Which?', { type: 'decision' });
  const ids = [await api.task('a'), await api.task('b'), await api.task('c')];
  for (const id of ids) await api.after(id, decision);
  const gated = await api.stage(ids);
  expect(gated.warnings).toMatchObject([{ code: 'gated', ids: [...ids, decision] }]);
  expect(gated.warnings[0]?.message).toBe(`3 tasks wait for a decision: ${decision}.`);
  await plant(api.services.ledger, [
    { id: 'x-1', repo: null },
    { id: 'x-2', repo: null },
  ]);
  const homeless = await api.stage(['x-1', 'x-2']);
  expect(homeless.errors).toMatchObject([{ code: 'no_repo', ids: ['x-1', 'x-2'] }]);
});

test('GT-22 all gated is a warning with the gates listed; a closed decision gates nothing', async () => {
  const api = await makeApi();
  const decision = await api.task('Which?', { type: 'decision' });
  const a = await api.task('a');
  await api.after(a, decision);
  const gated = await api.stage([a]);
  expect(gated).toMatchObject({ status: 'staged_warnings', waves: [] });
  expect(gated.gated).toEqual([{ id: a, gated_by: [decision] }]);
  await api.ask(closeTask, { params: { id: decision }, body: { reason: 'the blue one' } });
  const free = await api.stage([a]);
  expect(free).toMatchObject({ status: 'staged_ready', gated: [], restaged: true });
  expect(free.waves).toMatchObject([{ tasks: [{ id: a }] }]);
});

test('GT-9 an open blocker outside the convoy keeps a task out of the waves, and is a warning', async () => {
  const api = await makeApi();
  const [far, a] = [await api.task('far'), await api.task('a')];
  await api.after(a, far);
  const staged = await api.stage([a]);
  expect(staged).toMatchObject({ status: 'staged_warnings', waves: [] });
  expect(staged.outside).toEqual([{ id: a, blocked_by: [far] }]);
  expect(codes(staged.warnings)).toEqual(['blocked_outside']);
});

test('GT-24 finished tasks are in no wave and delay nothing', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  await api.after(b, a, { level: 'closed' });
  await api.ask(closeTask, { params: { id: a }, body: {} });
  const staged = await api.stage([a, b]);
  expect(staged.waves).toMatchObject([{ number: 1, tasks: [{ id: b, blocked_by: [] }] }]);
});

test('GT-25 the tasks of a later epic come after all tasks of the earlier one', async () => {
  const api = await makeApi();
  const root = await api.epic('Root');
  const [first, second] = [await api.epic('First', root), await api.epic('Second', root)];
  const [a, b] = [await api.task('a', { parent: first }), await api.task('b', { parent: first })];
  const c = await api.task('c', { parent: second });
  await api.after(b, a);
  await api.after(second, first);
  const staged = await api.stage([root]);
  expect(staged.waves.map(({ tasks }) => tasks.map(({ id }) => id))).toEqual([[a], [b], [c]]);
});

test('a task without a repository, and one of a repository that is gone, are errors', async () => {
  const api = await makeApi({ config: TWO_REPOS });
  const [a, b] = [await api.task('a', { repo: 'main' }), await api.task('b', { repo: 'api' })];
  await api.ask(editTask, { params: { id: a }, body: { repo: null } });
  await plant(api.services.ledger, [{ id: 'old-1', repo: 'gone' }]);
  const report = await api.stage([a, b, 'old-1']);
  expect(report.errors).toMatchObject([
    { code: 'no_repo', ids: [a] },
    { code: 'repo_unknown', ids: ['old-1'] },
  ]);
  expect(report.status).toBe('error');
});

test('GT-50 a launched or only tracking convoy is not staged again, and no second one appears', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const { convoy } = await api.ask(createConvoy, { body: { title: 'Open', tasks: [a] } });
  const before = await api.events();
  for (const target of [convoy.id, a]) {
    const report = await api.stage([target]);
    expect(report.errors).toMatchObject([{ code: 'already_launched' }]);
    expect(report.errors[0]?.ids).toContain(convoy.id);
    expect(report.errors[0]?.message).toContain('is open');
  }
  expect(await api.events()).toBe(before);
});

test('a convoy that ended is not staged again and says how it ended; its epic can be', async () => {
  const api = await makeApi();
  const epic = await api.epic('Epic');
  await api.task('a', { parent: epic });
  const { convoy_id: id } = await api.stage([epic]);
  await api.ask(cancelConvoy, { params: { id: id ?? '' }, body: {} });
  const report = await api.stage([id ?? '']);
  expect(report.errors).toMatchObject([{ code: 'already_launched', ids: [id] }]);
  expect(report.errors[0]?.message).toContain('is cancelled');
  const b = await api.task('b', { parent: epic });
  const anew = await api.stage([epic]);
  expect(anew).toMatchObject({ status: 'staged_ready', restaged: false });
  expect(anew.convoy_id).not.toBe(id);
  expect(anew.waves).toMatchObject([{ tasks: [{ id: b }] }]);
});

test('GT-44 tasks of exactly one staged convoy renew it; of two, they are ambiguous', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  const first = await api.stage([a]);
  const renewed = await api.stage([a]);
  expect(renewed).toMatchObject({ convoy_id: first.convoy_id, restaged: true });
  const second = await api.stage([b]);
  const report = await api.stage([a, b]);
  expect(report.errors).toMatchObject([
    { code: 'ambiguous_convoy', ids: [first.convoy_id, second.convoy_id] },
  ]);
});
