import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { taskId } from '../work/ids.ts';
import type { TaskId } from '../work/ids.ts';
import { TASK_STATUSES, isDispatchable, isDone } from '../work/task.ts';
import { everyTask, givenGraph } from './given-tasks.ts';
import { layers, waves } from './waves.ts';
import { workGraph } from './work-graph.ts';
import type { WorkGraph } from './work-graph.ts';

type Given = Parameters<typeof givenGraph>[0];
const of = (tasks: Given) => {
  const graph = givenGraph(tasks);
  return waves(graph, everyTask(graph));
};

test('GT-13 independent tasks share one sorted wave', () => {
  expect(of({ c: {}, 'a.10': {}, 'a.9': {} }).waves).toEqual([['a.9', 'a.10', 'c']]);
});

test('GT-14 a chain of three takes three waves', () => {
  expect(of({ c: { after: ['b'] }, b: { after: ['a'] }, a: {} }).waves).toEqual([
    ['a'],
    ['b'],
    ['c'],
  ]);
});

test('GT-15 a diamond takes three waves', () => {
  const given = { a: {}, b: { after: ['a'] }, c: { after: ['a'] }, d: { after: ['b', 'c'] } };
  expect(of(given).waves).toEqual([['a'], ['b', 'c'], ['d']]);
});

test('GT-16 what waits for nothing comes first', () => {
  const given = { a: {}, b: { after: ['a'] }, c: {}, d: { after: ['b'] } };
  expect(of(given).waves).toEqual([['a', 'c'], ['b'], ['d']]);
});

test('GT-18 hierarchy alone orders nothing', () => {
  expect(of({ e: { type: 'epic' }, a: { parent: 'e' }, b: { parent: 'e' } }).waves).toEqual([
    ['a', 'b'],
  ]);
});

test('GT-19 nothing to dispatch gives no waves', () => {
  const nothing = { waves: [], gated: [], outside: [], cyclic: [] };
  expect(of({})).toEqual(nothing);
  expect(of({ e: { type: 'epic' }, d: { type: 'decision' } })).toEqual(nothing);
});

test('GT-20 GT-21 an open decision gates what waits for it and what waits for that', () => {
  expect(
    of({ dec: { type: 'decision' }, a: { after: ['dec'] }, b: { after: ['a'] }, c: {} }),
  ).toEqual({
    waves: [['c']],
    gated: [
      { id: 'a', gatedBy: ['dec'] },
      { id: 'b', gatedBy: [] },
    ],
    outside: [],
    cyclic: [],
  });
});

test('GT-22 a closed decision gates nothing', () => {
  expect(of({ dec: { type: 'decision', status: 'closed' }, a: { after: ['dec'] } }).waves).toEqual([
    ['a'],
  ]);
});

test('GT-22 an epic without children is a gate, because nothing will close it', () => {
  expect(of({ e: { type: 'epic' }, a: { after: ['e'] } })).toMatchObject({
    waves: [],
    gated: [{ id: 'a', gatedBy: ['e'] }],
  });
});

test('a decision gates every task of the epic that waits for it', () => {
  const given: Given = {
    dec: { type: 'milestone' },
    e: { type: 'epic', after: ['dec'] },
    a: { parent: 'e' },
  };
  expect(of(given).gated).toEqual([{ id: 'a', gatedBy: ['dec'] }]);
});

test.each(['merged', 'closed', 'skipped'] as const)(
  'GT-24 a %s task is in no wave and delays nobody',
  (status) => {
    expect(of({ a: { status }, b: { after: ['a'] } }).waves).toEqual([['b']]);
  },
);

test.each(['in_progress', 'submitted', 'failed', 'deferred', 'pinned', 'blocked'] as const)(
  'a %s task still has its wave',
  (status) => {
    expect(of({ a: { status }, b: { after: ['a'] } }).waves).toEqual([['a'], ['b']]);
  },
);

test('GT-25 the tasks of a later epic come after all tasks of the earlier one', () => {
  const given: Given = {
    one: { type: 'epic' },
    two: { type: 'epic', after: ['one'] },
    a: { parent: 'one' },
    b: { parent: 'one', after: ['a'] },
    sub: { type: 'epic', parent: 'two' },
    c: { parent: 'sub' },
  };
  expect(of(given).waves).toEqual([['a'], ['b'], ['c']]);
});

test('GT-26 waits-for waits for all children, or for the first of them', () => {
  const children: Given = {
    e: { type: 'epic' },
    a: { parent: 'e' },
    b: { parent: 'e', after: ['a'] },
  };
  const any = { on: taskId('e'), kind: 'waits-for', children: 'any' } as const;
  expect(of({ ...children, x: { after: ['waits-for e'] } }).waves).toEqual([['a'], ['b'], ['x']]);
  expect(of({ ...children, x: { after: [any] } }).waves).toEqual([['a'], ['b', 'x']]);
});

test('GT-26 a child that is free is chosen before one that is gated', () => {
  const any = { on: taskId('e'), kind: 'waits-for', children: 'any' } as const;
  const given: Given = {
    dec: { type: 'decision' },
    e: { type: 'epic' },
    a: { parent: 'e', after: ['dec'] },
    z: {},
    b: { parent: 'e', after: ['z'] },
    x: { after: [any] },
  };
  expect(of(given).waves).toEqual([['z'], ['b'], ['x']]);
});

test('GT-27 a conditional edge orders too', () => {
  expect(of({ a: {}, b: { after: ['conditional-blocks a'] } }).waves).toEqual([['a'], ['b']]);
});

test('GT-28 two edges between the same tasks count once', () => {
  const dec: Given = { dec: { type: 'decision' }, a: { after: ['dec', 'merge-blocks dec'] } };
  expect(of(dec).gated).toEqual([{ id: 'a', gatedBy: ['dec'] }]);
  expect(of({ a: {}, b: { after: ['a', 'merge-blocks a'] } }).waves).toEqual([['a'], ['b']]);
});

describe('GT-9 blockers outside the set', () => {
  const graph = givenGraph({ out: {}, a: { after: ['out'] }, b: { after: ['a'] }, c: {} });
  const members = new Set(['a', 'b', 'c'].map(taskId));

  test('an open one keeps its dependents out of the waves', () => {
    expect(waves(graph, members)).toEqual({
      waves: [['c']],
      gated: [],
      outside: [
        { id: 'a', blockedBy: ['out'] },
        { id: 'b', blockedBy: [] },
      ],
      cyclic: [],
    });
  });

  test('an unknown or cancelled one does the same', () => {
    expect(of({ a: { after: ['gone'] } }).outside).toEqual([{ id: 'a', blockedBy: ['gone'] }]);
    expect(of({ x: { status: 'cancelled' }, a: { after: ['x'] } }).outside).toEqual([
      { id: 'a', blockedBy: ['x'] },
    ]);
  });

  test('GT-82 and so does one that was closed where a merge is needed', () => {
    expect(of({ x: { status: 'closed' }, a: { after: ['merge-blocks x'] } }).outside).toEqual([
      { id: 'a', blockedBy: ['x'] },
    ]);
  });

  test('an epic counts as inside when all its open tasks are', () => {
    const epic = givenGraph({ e: { type: 'epic' }, a: { parent: 'e' }, b: { after: ['e'] } });
    expect(waves(epic, new Set(['a', 'b'].map(taskId))).waves).toEqual([['a'], ['b']]);
    expect(waves(epic, new Set(['e', 'b'].map(taskId))).outside).toEqual([
      { id: 'b', blockedBy: ['e'] },
    ]);
  });
});

test('tasks on or behind a cycle are told apart', () => {
  const given = { a: { after: ['b'] }, b: { after: ['a'] }, c: { after: ['b'] }, d: {} };
  expect(of(given)).toMatchObject({ waves: [['d']], cyclic: ['a', 'b', 'c'] });
});

test('layers keep their number while the work goes on', () => {
  const graph = givenGraph({
    a: { status: 'merged' },
    b: { status: 'closed', after: ['a'] },
    c: { after: ['b'] },
    dec: { type: 'decision' },
    d: { after: ['dec'] },
  });
  expect([...layers(graph, everyTask(graph))]).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 3],
    ['d', 1],
  ]);
});

const SIZE = 14;
const id = (n: number) => `t${n}`;
/** Edges and parents always point at lower numbers, so there is no cycle. */
const acyclic = fc
  .array(
    fc.record({
      type: fc.constantFrom('task', 'bug', 'epic', 'decision' as const),
      status: fc.constantFrom('open', 'open', 'open', ...TASK_STATUSES),
      parent: fc.nat(SIZE * 3),
      after: fc.array(
        fc.record({
          on: fc.nat(SIZE),
          kind: fc.constantFrom('blocks', 'merge-blocks', 'conditional-blocks', 'waits-for'),
        }),
        { maxLength: 2 },
      ),
      member: fc.boolean(),
    }),
    { minLength: SIZE, maxLength: SIZE },
  )
  .map((rows) => {
    const tasks = rows.map((row, n) => ({
      ...row,
      parent: row.parent < n && rows[row.parent]!.type === 'epic' ? row.parent : null,
    }));
    const isAbove = (above: number, n: number): boolean => {
      for (let at = tasks[n]!.parent; at !== null; at = tasks[at]!.parent) {
        if (at === above) return true;
      }
      return false;
    };
    const given = Object.fromEntries(
      tasks.map(({ type, status, parent, after }, n) => [
        id(n),
        {
          type,
          status,
          ...(parent === null ? {} : { parent: id(parent) }),
          after: after
            .filter(({ on }) => on < n && !isAbove(on, n))
            .map(({ on, kind }) => `${kind} ${id(on)}`),
        },
      ]),
    );
    const members = new Set(rows.flatMap((row, n) => (row.member ? [taskId(id(n))] : [])));
    return { graph: givenGraph(given), members };
  });

const isOpenMember = (graph: WorkGraph, members: ReadonlySet<TaskId>, task: TaskId): boolean => {
  const { type, status } = graph.tasks.get(task)!;
  const isOver = isDone(status) || status === 'skipped' || status === 'cancelled';
  return members.has(task) && isDispatchable(type) && !isOver;
};

test('every open member is in exactly one place, or held for two reasons', () => {
  fc.assert(
    fc.property(acyclic, ({ graph, members }) => {
      const found = waves(graph, members);
      const placed = [...found.waves.flat(), ...found.cyclic];
      const held = [...found.gated, ...found.outside].map((entry) => entry.id);
      expect(new Set(placed).size).toBe(placed.length);
      expect(placed.filter((task) => held.includes(task))).toEqual([]);
      const open = [...graph.tasks.keys()].filter((task) => isOpenMember(graph, members, task));
      expect(new Set([...placed, ...held])).toEqual(new Set(open));
    }),
  );
});

test('every open blocker of a task is in an earlier wave than the task', () => {
  fc.assert(
    fc.property(acyclic, ({ graph, members }) => {
      const found = waves(graph, members).waves;
      const waveOf = new Map(found.flatMap((wave, n) => wave.map((task) => [task, n] as const)));
      for (const [task, wave] of waveOf) {
        for (const { on, kind } of graph.tasks.get(task)!.dependencies) {
          const isMet = kind === 'conditional-blocks' && graph.tasks.get(on)!.status === 'failed';
          if (isMet || !isOpenMember(graph, members, on)) continue;
          expect(waveOf.get(on)).toBeLessThan(wave);
        }
      }
    }),
  );
});

test('the order in which tasks are read changes nothing', () => {
  fc.assert(
    fc.property(
      acyclic.chain(({ graph, members }) =>
        fc.record({
          graph: fc.constant(graph),
          members: fc.constant(members),
          shuffled: fc.shuffledSubarray([...graph.tasks.values()], {
            minLength: graph.tasks.size,
          }),
        }),
      ),
      ({ graph, members, shuffled }) => {
        expect(waves(workGraph(shuffled), members)).toEqual(waves(graph, members));
      },
    ),
  );
});
