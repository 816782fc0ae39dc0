import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { taskId } from '../work/ids.ts';
import { criticalPath, remainingPath } from './critical-path.ts';
import { everyTask, givenGraph } from './given-tasks.ts';

type Given = Parameters<typeof givenGraph>[0];
const of = (tasks: Given) => {
  const graph = givenGraph(tasks);
  return criticalPath(graph, everyTask(graph));
};

test('the longest chain is found by minutes, not by the number of tasks', () => {
  expect(
    of({
      a: { estimateMinutes: 10 },
      b: { estimateMinutes: 10, after: ['a'] },
      c: { estimateMinutes: 10, after: ['b'] },
      x: { estimateMinutes: 50 },
      y: { after: ['x'] },
    }),
  ).toEqual({ path: ['x', 'y'], minutes: 80 });
});

test('done work weighs nothing and is left out', () => {
  expect(of({ a: { status: 'merged', estimateMinutes: 500 }, b: { after: ['a'] } })).toEqual({
    path: ['b'],
    minutes: 30,
  });
});

test('the path leads through epics and decisions without naming them', () => {
  expect(
    of({
      one: { type: 'epic' },
      a: { parent: 'one' },
      dec: { type: 'decision', after: ['one'] },
      two: { type: 'epic', after: ['dec'] },
      b: { parent: 'two', estimateMinutes: 5 },
    }),
  ).toEqual({ path: ['a', 'b'], minutes: 35 });
});

test('nothing open gives an empty path', () => {
  expect(of({ a: { status: 'closed' }, e: { type: 'epic' } })).toEqual({ path: [], minutes: 0 });
});

test('work on a cycle has no path', () => {
  expect(of({ a: { after: ['b'] }, b: { after: ['a'] } })).toEqual({ path: [], minutes: 0 });
  expect(of({ a: { after: ['b'] }, b: { after: ['a'] }, c: {} }).path).toEqual(['c']);
});

test('what remains behind a task is the longest chain to the end', () => {
  const graph = givenGraph({
    a: { estimateMinutes: 10 },
    b: { after: ['a'], estimateMinutes: 20 },
    c: { after: ['a'], estimateMinutes: 40 },
    d: { after: ['b'], estimateMinutes: 30 },
    m: { status: 'merged' },
  });
  expect(remainingPath(graph, everyTask(graph))).toEqual(
    new Map([
      [taskId('a'), 60],
      [taskId('b'), 50],
      [taskId('c'), 40],
      [taskId('d'), 30],
    ]),
  );
});

const SIZE = 12;
const chains = fc.record({
  minutes: fc.array(fc.nat(100), { minLength: SIZE, maxLength: SIZE }),
  edges: fc.array(fc.tuple(fc.nat(SIZE - 1), fc.nat(SIZE - 1)), { maxLength: 25 }),
  picks: fc.array(fc.nat(100), { minLength: SIZE, maxLength: SIZE }),
});

test('no chain of work takes longer than the critical path, which adds up itself', () => {
  fc.assert(
    fc.property(chains, ({ minutes, edges, picks }) => {
      const before = (n: number) => edges.filter(([a, b]) => a === n && b < n).map(([, b]) => b);
      const graph = givenGraph(
        Object.fromEntries(
          minutes.map((estimateMinutes, n) => [
            `t${n}`,
            { estimateMinutes, after: before(n).map((b) => `t${b}`) },
          ]),
        ),
      );
      const found = criticalPath(graph, everyTask(graph));
      let walked = 0;
      let next: number | undefined = picks[0]! % SIZE;
      for (let step = 1; next !== undefined; step += 1) {
        walked += minutes[next]!;
        const choices = before(next);
        next = choices[(picks[step] ?? 0) % Math.max(1, choices.length)];
      }
      expect(found.minutes).toBeGreaterThanOrEqual(walked);
      const sum = found.path.reduce((all, id) => all + graph.tasks.get(id)!.estimateMinutes!, 0);
      expect(found.minutes).toBe(sum);
      expect(Math.max(...remainingPath(graph, everyTask(graph)).values())).toBe(found.minutes);
    }),
  );
});
