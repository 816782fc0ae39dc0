import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCycles } from '../graph/cycles.ts';
import { workGraph } from '../graph/work-graph.ts';
import { decideTask } from '../work/decide.ts';
import { evolveTask } from '../work/evolve.ts';
import { attemptId, repoName, taskId, type TaskId } from '../work/ids.ts';
import type { Task } from '../work/task.ts';
import { readBeads } from './beads-read.ts';
import { beadsLine } from './beads-write.ts';
import { planImport, type ImportPlan } from './import-plan.ts';

const NOW = Date.UTC(2026, 0, 1);
const LATER = '2027-01-01T00:00:00Z';

function plan(rows: readonly object[], existing: readonly Task[] = []): ImportPlan {
  return planImport({
    rows: rows.map((row, index) => ({ line: index + 1, row: readBeads(row, NOW) })),
    existing: new Map(existing.map((task) => [task.id, task])),
    repoFor: (_id, said) => said ?? repoName('main'),
    newId: (_row, line) => taskId(`new-${line}`),
  });
}
const created = (rows: readonly object[]): readonly Task[] => plan(rows).create;

/** `a after b, c` and `a in e`, as rows. */
const row = (id: string, after: readonly string[] = [], parent?: string): object => ({
  id,
  title: id,
  updated_at: '2025-01-01T00:00:00Z',
  dependencies: [
    ...after.map((on) => ({ issue_id: id, depends_on_id: on, type: 'blocks' })),
    ...(parent ? [{ issue_id: id, depends_on_id: parent, type: 'parent-child' }] : []),
  ],
});
const bad = ({ badEdges }: ImportPlan) => badEdges.map(({ from, on, why }) => [from, on, why]);
const edgesOf = (tasks: readonly Task[]) =>
  tasks.flatMap(({ id, dependencies }) => dependencies.map(({ on }) => `${id} → ${on}`));

describe('GT-180 a file', () => {
  test('with rows of every kind', () => {
    const found = plan([
      { _schema: 1 },
      { _type: 'memory', key: 'k' },
      { title: 'nameless' },
      row('b', ['a']),
      row('a'),
      { id: 'gone', title: 'x', status: 'tombstone' },
      { id: 'w', title: 'x', wisp: true },
      { id: 'c' },
      [],
    ]);
    expect(found.create.map(({ id, repo }) => [id, repo])).toEqual([
      ['new-3', 'main'],
      ['b', 'main'],
      ['a', 'main'],
    ]);
    expect(found.skipped).toEqual([
      { line: 1, why: 'a header, not a task' },
      { line: 2, why: 'a memory, not a task' },
      { line: 6, why: 'gone was deleted' },
      { line: 7, why: 'w is ephemeral' },
      { line: 8, why: 'it has no title' },
      { line: 9, why: 'not an object' },
    ]);
    expect(found.badEdges).toEqual([]);
  });

  test('that says one thing twice: the newest row counts', () => {
    const found = plan([
      { id: 'a', title: 'new', updated_at: '2025-02-01T00:00:00Z' },
      { id: 'a', title: 'old', updated_at: '2025-01-01T00:00:00Z' },
    ]);
    expect(found.create.map(({ title }) => title)).toEqual(['new']);
    expect(found.skipped).toEqual([{ line: 2, why: 'line 1 says more recently what a is' }]);
  });

  test('with numbered children keeps their numbers taken', () => {
    const [epic] = created([row('e'), row('e.3', [], 'e'), row('e.12', [], 'e'), row('e.x')]);
    expect(epic?.childCount).toBe(12);
    const [there] = created([row('e')]);
    expect(plan([row('e.2', [], 'e')], [there!]).numbered).toEqual([{ id: 'e', number: 2 }]);
  });

  test('that was exported from here changes nothing here', () => {
    const tasks = created([row('a'), row('b', ['a'], 'e'), row('e')]);
    const rows = tasks.map((task) => JSON.parse(beadsLine(task)) as object);
    const again = plan(rows, tasks);
    expect([again.create, again.update, again.stale]).toEqual([[], [], []]);
    expect(again.unchanged).toEqual(['a', 'b', 'e']);
  });
});

describe('GT-180 bad edges are listed and the rest goes on', () => {
  test.each([
    ['itself', [row('a', ['a'])], [['a', 'a', 'a task cannot wait for itself']]],
    ['nothing', [row('a', ['z'])], [['a', 'z', 'there is no task z']]],
    ['a parent that is missing', [row('a', [], 'z')], [['a', 'z', 'there is no task z']]],
    ['itself as a parent', [row('a', [], 'a')], [['a', 'a', 'a task cannot be its own parent']]],
    [
      'the same twice',
      [row('a', ['b', 'b']), row('b')],
      [['a', 'b', 'the same edge is there already']],
    ],
    [
      'its own parent',
      [row('a', ['e'], 'e'), row('e')],
      [['a', 'e', 'e is above it and cannot be done first']],
    ],
    [
      'its own child',
      [row('e', ['a']), row('a', [], 'e')],
      [['e', 'a', 'a is below it and is waited for anyway']],
    ],
    ['a cycle', [row('a', ['b']), row('b', ['a'])], [['b', 'a', 'it closes a cycle: b → a → b']]],
    [
      'a loop of parents',
      [row('a', [], 'b'), row('b', [], 'a')],
      [['b', 'a', 'its parents would form a loop']],
    ],
    [
      'a kind that is no word',
      [{ id: 'a', title: 'x', dependencies: [{ depends_on_id: 'b', type: 'Bad Kind' }] }, row('b')],
      [['a', 'b', 'its kind is not a word of a-z, 0-9, _ and -']],
    ],
  ])('%s', (_what, rows, edges) => {
    const found = plan(rows);
    expect(bad(found)).toEqual(edges);
    expect(found.create).toHaveLength(rows.length);
  });

  test('a cycle through what an epic hands down', () => {
    // All of later waits for all of earlier, so nothing of earlier can wait for a part of later.
    const found = plan([
      row('earlier'),
      row('later', ['earlier']),
      row('x', ['y'], 'earlier'),
      row('y', [], 'later'),
    ]);
    expect(found.badEdges).toHaveLength(1);
    expect(findCycles(workGraph(found.create))).toEqual([]);
  });

  test('an edge that was there before never goes', () => {
    const there = created([row('a', ['b']), row('b')]);
    const found = plan([{ ...row('b', ['a']), updated_at: LATER }], there);
    expect(bad(found)).toEqual([['b', 'a', 'it closes a cycle: b → a → b']]);
  });

  test('a new parent goes when only it can', () => {
    const there = created([row('e', ['a']), row('a')]);
    const found = plan([{ ...row('a', [], 'e'), updated_at: LATER }], there);
    expect(found.badEdges.map(({ from, on, kind }) => [from, on, kind])).toEqual([
      ['a', 'e', 'parent-child'],
    ]);
  });

  test('an edge to another workspace is kept and named', () => {
    const found = plan([row('a', ['external:lib:z'])]);
    expect(found.badEdges).toEqual([]);
    expect(found.external).toEqual([{ from: 'a', on: 'external:lib:z' }]);
  });

  test('no order of rows makes a difference, and no cycle is left', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const name = fc.constantFrom(...names);
    const rows = fc
      .tuple(
        ...names.map((id) =>
          fc.tuple(fc.constant(id), fc.uniqueArray(name, { maxLength: 3 }), fc.option(name)),
        ),
      )
      .map((list) => list.map(([id, after, parent]) => row(id, after, parent ?? undefined)));
    fc.assert(
      fc.property(rows, fc.infiniteStream(fc.nat()), (given, chance) => {
        const there = plan(given);
        const shuffled = given
          .map((each) => ({ each, at: chance.next().value as number }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ each }) => each);
        const other = plan(shuffled);
        expect(new Set(edgesOf(other.create))).toEqual(new Set(edgesOf(there.create)));
        expect(findCycles(workGraph(there.create))).toEqual([]);
        expect(
          edgesOf(there.create).length +
            there.badEdges.filter(({ kind }) => kind === 'blocks').length,
        ).toBe(
          given
            .flatMap((each) => (each as { dependencies: { type: string }[] }).dependencies)
            .filter(({ type }) => type === 'blocks').length,
        );
      }),
    );
  });
});

const carriedOut = (task: Task, { update }: ImportPlan): Task =>
  update
    .flatMap(({ commands }) => commands)
    .reduce((now, command) => {
      const decision = decideTask(now, command);
      if (!decision.ok) throw new Error(JSON.stringify(decision.error));
      return decision.value.reduce((each, event) => evolveTask(each, event, NOW), now);
    }, task);

describe('a task that is here already', () => {
  const before = created([
    { id: 'a', title: 'old', description: 'd', updated_at: '2025-06-01T00:00:00Z', notes: 'n' },
  ])[0]!;
  test('GT-180 keeps what it is when the row is older', () => {
    const found = plan([{ id: 'a', title: 'new', updated_at: '2025-05-01T00:00:00Z' }], [before]);
    expect(found.stale).toEqual(['a']);
    expect(found.update).toEqual([]);
  });

  test('becomes what a newer row says, and nothing that it leaves out', () => {
    const found = plan([{ id: 'a', title: 'new', status: 'closed', updated_at: LATER }], [before]);
    expect(carriedOut(before, found)).toMatchObject({
      title: 'new',
      description: '',
      status: 'closed',
    });
  });

  test('changes only in what an undated row names', () => {
    const held: Task = { ...before, status: 'pinned' };
    const found = plan([{ id: 'a', title: 'new', owner: 'o' }], [held]);
    const after = carriedOut(held, found);
    expect(after).toMatchObject({ title: 'new', description: 'd', status: 'pinned' });
    expect(JSON.parse(beadsLine(after))).toMatchObject({ notes: 'n', owner: 'o' });
  });

  test('keeps the words that only we have', () => {
    const ours = { ...before, agent: 'mine', verify: [['npm', 'test']], ownBranch: true };
    const after = carriedOut(ours, plan([{ id: 'a', title: 'new', updated_at: LATER }], [ours]));
    expect(after).toMatchObject({ agent: 'mine', verify: [['npm', 'test']], ownBranch: true });
  });

  test('gets, changes and loses edges', () => {
    const ids: TaskId[] = ['b', 'c', 'd'].map(taskId);
    const others = created(ids.map((id) => row(id)));
    const with2: Task = {
      ...before,
      dependencies: [
        { on: ids[0]!, kind: 'blocks' },
        { on: ids[1]!, kind: 'blocks' },
      ],
    };
    const next = {
      id: 'a',
      title: 'old',
      updated_at: LATER,
      dependencies: [
        { depends_on_id: 'c', type: 'blocks', metadata: '{"level":"closed"}' },
        { depends_on_id: 'd', type: 'blocks' },
      ],
    };
    const after = carriedOut(with2, plan([next], [with2, ...others]));
    expect(after.dependencies).toEqual([
      { on: 'c', kind: 'blocks', level: 'closed' },
      { on: 'd', kind: 'blocks' },
    ]);
  });

  test.each(['closed', 'blocked', 'deferred'])('is not %s under a running attempt', (status) => {
    const running: Task = { ...before, status: 'in_progress', attempt: attemptId('x'), since: 0 };
    const found = plan([{ id: 'a', title: 'old', status, updated_at: LATER }], [running]);
    expect(found.kept[0]?.why).toBe(`it is in_progress here, and the row says ${status}`);
    expect(carriedOut(running, found).status).toBe('in_progress');
  });

  test('is never reopened by a row', () => {
    const closed: Task = { ...before, status: 'closed', outcome: 'done', at: 0 };
    const found = plan([{ id: 'a', title: 'old', status: 'open', updated_at: LATER }], [closed]);
    expect(found.kept[0]?.why).toBe('it is closed here, and the row says open');
  });
});
