import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findCycles } from '../graph/cycles.ts';
import { givenTasks } from '../graph/given-tasks.ts';
import { waitPath } from '../graph/waits.ts';
import { workGraph, type GraphTask } from '../graph/work-graph.ts';
import { untie, type Cut } from './untie.ts';

const anyone = (): boolean => true;
const inShort = (cuts: readonly Cut[]) => cuts.map(({ from, on }) => `${from} → ${on}`);

test('a chain and a diamond lose nothing', () => {
  const tasks = givenTasks({
    a: {},
    b: { after: ['a'] },
    c: { after: ['a'] },
    d: { after: ['b', 'c'] },
  });
  expect(untie(tasks, anyone)).toEqual([]);
});

test('the last by name loses its edge, and the way round begins with it', () => {
  const tasks = givenTasks({ a: { after: ['b'] }, b: { after: ['c'] }, c: { after: ['a'] } });
  expect(untie(tasks, anyone)).toEqual([
    { from: 'c', on: 'a', of: 'order', path: ['c', 'a', 'b'] },
  ]);
});

test('only what may be cut is cut', () => {
  const tasks = givenTasks({ a: { after: ['b'] }, b: { after: ['c'] }, c: { after: ['a'] } });
  expect(inShort(untie(tasks, (id) => id === 'b'))).toEqual(['b → c']);
  expect(untie(tasks, () => false)).toEqual([]);
});

test('edges that order nothing are no cycle', () => {
  expect(untie(givenTasks({ a: { after: ['related b'] }, b: { after: ['a'] } }), anyone)).toEqual(
    [],
  );
});

test('no cycle is left, and every cut was needed', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const graphs = fc
    .tuple(
      ...names.map((id, at) =>
        fc.record({
          id: fc.constant(id),
          after: fc.uniqueArray(fc.constantFrom(...names.filter((other) => other !== id)), {
            maxLength: 3,
          }),
          parent: at === 0 ? fc.constant(null) : fc.option(fc.constantFrom(...names.slice(0, at))),
        }),
      ),
    )
    .map((list) =>
      givenTasks(
        Object.fromEntries(
          list.map(({ id, after, parent }) => [
            id,
            { after, ...(parent === null ? {} : { parent }) },
          ]),
        ),
      ),
    );
  fc.assert(
    fc.property(graphs, (tasks) => {
      const cuts = untie(tasks, anyone);
      const left = workGraph(tasks.map((task) => without(task, cuts)));
      expect(findCycles(left)).toEqual([]);
      expect(cuts.filter(({ from, on }) => waitPath(left, on, from) === null)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

const without = (task: GraphTask, cuts: readonly Cut[]): GraphTask => ({
  ...task,
  dependencies: task.dependencies.filter(
    ({ on }) => !cuts.some((cut) => cut.from === task.id && cut.on === on),
  ),
});
