import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ORDERING_KINDS } from '../work/dependency.ts';
import type { TaskId } from '../work/ids.ts';
import { findCycles } from './cycles.ts';
import { givenGraph } from './given-tasks.ts';
import type { WorkGraph } from './work-graph.ts';

const pathsOf = (graph: WorkGraph) => findCycles(graph).map((cycle) => cycle.path);

test('GT-1 two tasks that wait for each other are a cycle of both', () => {
  const graph = givenGraph({ a: { after: ['b'] }, b: { after: ['a'] } });
  expect(findCycles(graph)).toEqual([{ size: 2, path: ['a', 'b'] }]);
});

test('GT-2 a chain is no cycle', () => {
  expect(findCycles(givenGraph({ a: {}, b: { after: ['a'] }, c: { after: ['b'] } }))).toEqual([]);
});

test('GT-3 a task that waits for itself is a cycle of one', () => {
  expect(findCycles(givenGraph({ a: { after: ['a'] } }))).toEqual([{ size: 1, path: ['a'] }]);
});

test('GT-4 a diamond is no cycle', () => {
  const graph = givenGraph({
    a: {},
    b: { after: ['a'] },
    c: { after: ['a'] },
    d: { after: ['b', 'c'] },
  });
  expect(findCycles(graph)).toEqual([]);
});

test.each(ORDERING_KINDS)('GT-7 %s orders work', (kind) => {
  const graph = givenGraph({ a: { after: [`${kind} b`] }, b: { after: ['a'] } });
  expect(pathsOf(graph)).toEqual([['a', 'b']]);
});

test.each(['related', 'tracks', 'discovered-from', 'my-word'])('GT-8 %s orders nothing', (kind) => {
  const graph = givenGraph({ a: { after: [`${kind} b`] }, b: { after: ['a'] } });
  expect(findCycles(graph)).toEqual([]);
});

test('GT-8 hierarchy alone is no cycle', () => {
  const graph = givenGraph({ e: { type: 'epic' }, a: { parent: 'e' }, b: { parent: 'e' } });
  expect(findCycles(graph)).toEqual([]);
});

test('GT-9 edges to tasks outside the graph are ignored', () => {
  expect(findCycles(givenGraph({ a: { after: ['gone'], parent: 'away' } }))).toEqual([]);
});

test('GT-10 independent cycles are each reported', () => {
  const graph = givenGraph({
    a: { after: ['b'] },
    b: { after: ['a'] },
    c: { after: ['d'] },
    d: { after: ['e'] },
    e: { after: ['c'] },
  });
  expect(findCycles(graph)).toEqual([
    { size: 2, path: ['a', 'b'] },
    { size: 3, path: ['c', 'd', 'e'] },
  ]);
});

test('KG-25 a shortest cycle speaks for a larger knot', () => {
  const graph = givenGraph({
    a: { after: ['b'] },
    b: { after: ['c'] },
    c: { after: ['d'] },
    d: { after: ['a', 'c'] },
  });
  expect(findCycles(graph)).toEqual([{ size: 4, path: ['c', 'd'] }]);
});

describe('inherited order', () => {
  test('an epic that blocks its own child is a cycle', () => {
    expect(pathsOf(givenGraph({ e: {}, t: { parent: 'e', after: ['e'] } }))).toEqual([['e', 't']]);
  });

  test('an epic that waits for its own child is a cycle', () => {
    expect(pathsOf(givenGraph({ e: { after: ['t'] }, t: { parent: 'e' } }))).toEqual([['e', 't']]);
  });

  test('a task of the earlier epic cannot wait for a task of the later one', () => {
    const graph = givenGraph({
      one: {},
      two: { after: ['one'] },
      early: { parent: 'one', after: ['late'] },
      late: { parent: 'two' },
    });
    // early waits for late, late starts with two, two waits for one, one ends with early.
    expect(pathsOf(graph)).toEqual([['early', 'late', 'two', 'one']]);
  });

  test('a task of the later epic may wait for a task of the earlier one', () => {
    const graph = givenGraph({
      one: {},
      two: { after: ['one'] },
      early: { parent: 'one' },
      late: { parent: 'two', after: ['early'] },
    });
    expect(findCycles(graph)).toEqual([]);
  });

  test('a loop of parents is one cycle', () => {
    expect(findCycles(givenGraph({ a: { parent: 'b' }, b: { parent: 'a' } }))).toEqual([
      { size: 2, path: ['a', 'b'] },
    ]);
    expect(findCycles(givenGraph({ a: { parent: 'a' } }))).toEqual([{ size: 1, path: ['a'] }]);
  });
});

test('at most 20 knots are reported', () => {
  const pairs = Array.from({ length: 25 }, (_, n) => [
    [`a${n}`, { after: [`b${n}`] }] as const,
    [`b${n}`, { after: [`a${n}`] }] as const,
  ]).flat();
  expect(findCycles(givenGraph(Object.fromEntries(pairs)))).toHaveLength(20);
});

test('GT-12 long chains and rings do not overflow the stack', () => {
  const length = 20_000;
  const chain = (first: string[]) =>
    givenGraph(
      Object.fromEntries(
        Array.from({ length }, (_, n) => [`t${n}`, { after: n === 0 ? first : [`t${n - 1}`] }]),
      ),
    );
  expect(findCycles(chain([]))).toEqual([]);
  const ring = findCycles(chain([`t${length - 1}`]));
  expect(ring.map(({ size, path }) => [size, path.length])).toEqual([[length, length]]);
});

/** Edges as pairs of numbers, the first waiting for the second. */
const graphOf = (size: number, edges: readonly (readonly [number, number])[]) =>
  givenGraph(
    Object.fromEntries(
      Array.from({ length: size }, (_, n) => [
        `t${n}`,
        { after: edges.filter(([from]) => from === n).map(([, to]) => `t${to}`) },
      ]),
    ),
  );

const pairs = (size: number, most: number) =>
  fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: most });

test('GT-6 edges that all point backwards are never a cycle', () => {
  fc.assert(
    fc.property(pairs(20, 30), (edges) => {
      const backwards = edges.filter(([from, to]) => from > to);
      expect(findCycles(graphOf(20, backwards))).toEqual([]);
    }),
  );
});

test('GT-6 an edge that closes a chain is always found', () => {
  fc.assert(
    fc.property(pairs(20, 30), fc.integer({ min: 2, max: 19 }), (edges, length) => {
      const chain = Array.from({ length: length - 1 }, (_, n) => [n + 1, n] as const);
      const backwards = edges.filter(([from, to]) => from > to);
      const graph = graphOf(20, [...backwards, ...chain, [0, length - 1]]);
      const found = findCycles(graph);
      expect(found).toHaveLength(1);
      expect(found[0]!.path.length).toBeLessThanOrEqual(length);
      expect(found[0]!.size).toBeGreaterThanOrEqual(length);
    }),
  );
});

test('GT-6 every step of a reported cycle is a real edge and no cycle is shorter', () => {
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 12 }), pairs(5, 25), pairs(12, 25), (size, low, all) => {
      const edges = [...low, ...all].filter(([a, b]) => a !== b && a < size && b < size);
      const graph = graphOf(size, edges);
      const cycles = findCycles(graph);
      for (const { path } of cycles) expect(isRing(graph, path)).toBe(true);
      const shortest = Math.min(...cycles.map(({ path }) => path.length));
      expect(shortest).toBe(girth(size, edges));
    }),
  );
});

const isRing = (graph: WorkGraph, path: readonly TaskId[]): boolean =>
  path.length >= 2 &&
  path.every((id, at) =>
    graph.tasks.get(id)!.dependencies.some((edge) => edge.on === path[(at + 1) % path.length]),
  );

/** The length of the shortest cycle by the plainest means: powers of the adjacency matrix. */
function girth(size: number, edges: readonly (readonly [number, number])[]): number {
  let reach = edges.map(([from, to]) => `${from} ${to}`);
  for (let length = 1; length <= size; length += 1) {
    if (reach.some((pair) => pair.split(' ')[0] === pair.split(' ')[1])) return length;
    reach = [
      ...new Set(
        reach.flatMap((pair) => {
          const [from, via] = pair.split(' ');
          return edges.filter(([start]) => `${start}` === via).map(([, to]) => `${from} ${to}`);
        }),
      ),
    ];
  }
  return Infinity;
}
