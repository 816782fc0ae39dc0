import { expect, expectTypeOf, test } from 'vitest';
import type { Task } from '../work/task.ts';
import { taskId } from '../work/ids.ts';
import { givenGraph, givenTasks } from './given-tasks.ts';
import { naturalOrder } from './natural-order.ts';
import type { GraphTask } from './work-graph.ts';
import { ancestorsOf, childrenOf, descendantsOf, workGraph } from './work-graph.ts';

test('ids are ordered the way people count', () => {
  const ids = ['a.10', 'a.9', 'a', 'b-2', 'a.9.1', 'b-10', 'a.09'];
  expect(ids.toSorted(naturalOrder)).toEqual(['a', 'a.09', 'a.9', 'a.9.1', 'a.10', 'b-2', 'b-10']);
});

test('children are sorted by age and then by id', () => {
  const graph = givenGraph({
    e: { type: 'epic' },
    'e.10': { parent: 'e', createdAt: 5 },
    'e.9': { parent: 'e', createdAt: 5 },
    'e.11': { parent: 'e', createdAt: 1 },
  });
  expect(childrenOf(graph, taskId('e'))).toEqual(['e.11', 'e.9', 'e.10']);
});

test('every edge can be seen from its target', () => {
  const graph = givenGraph({ a: {}, b: { after: ['a', 'related a'] } });
  expect(graph.dependents.get(taskId('a'))).toEqual([
    { task: 'b', dependency: { on: 'a', kind: 'blocks' } },
    { task: 'b', dependency: { on: 'a', kind: 'related' } },
  ]);
});

test('ancestors come nearest first and descendants parents first', () => {
  const graph = givenGraph({ r: {}, e: { parent: 'r' }, t: { parent: 'e' }, u: { parent: 'r' } });
  expect(ancestorsOf(graph, taskId('t'))).toEqual(['e', 'r']);
  expect(descendantsOf(graph, taskId('r'))).toEqual(['e', 'u', 't']);
});

test('a loop of parents ends the walk', () => {
  const graph = givenGraph({ a: { parent: 'c' }, b: { parent: 'a' }, c: { parent: 'b' } });
  expect(ancestorsOf(graph, taskId('a'))).toEqual(['c', 'b']);
  expect(descendantsOf(graph, taskId('a'))).toEqual(['b', 'c']);
});

test('of two tasks with the same id the later one counts', () => {
  const [first] = givenTasks({ a: { title: 'first', parent: 'x' } });
  const [second] = givenTasks({ a: { title: 'second', parent: 'y' } });
  const graph = workGraph([first!, second!]);
  expect(graph.tasks.get(taskId('a'))!.title).toBe('second');
  expect(childrenOf(graph, taskId('x'))).toEqual([]);
  expect(childrenOf(graph, taskId('y'))).toEqual(['a']);
});

test('a task of the ledger can be put into the graph as it is', () => {
  expectTypeOf<Task>().toExtend<GraphTask>();
});
