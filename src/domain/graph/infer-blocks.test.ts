import { expect, test } from 'vitest';
import { taskId } from '../work/ids.ts';
import { givenGraph } from './given-tasks.ts';
import { inferBlocks } from './infer-blocks.ts';

const root = taskId('root');
const epic = (createdAt: number, ...after: string[]) =>
  ({ type: 'epic', parent: 'root', createdAt, after }) as const;

test('sub-epics without order follow each other as they were created', () => {
  const graph = givenGraph({
    root: { type: 'epic' },
    c: epic(3),
    a: epic(1),
    b: epic(2),
    t: { parent: 'root' },
  });
  expect(inferBlocks(graph, root)).toEqual([
    { task: 'b', on: 'a' },
    { task: 'c', on: 'b' },
  ]);
});

test('a sub-epic that a sibling waits for, or that waits for one, is left alone', () => {
  const graph = givenGraph({
    root: { type: 'epic' },
    a: epic(1),
    b: epic(2),
    c: epic(3, 'b'),
    d: epic(4, 'related a'),
  });
  expect(inferBlocks(graph, root)).toEqual([{ task: 'd', on: 'a' }]);
});

test('nothing is inferred against the order of the tasks below', () => {
  const graph = givenGraph({
    root: { type: 'epic' },
    a: epic(1),
    b: epic(2),
    c: epic(3),
    early: { parent: 'a', after: ['late'] },
    late: { parent: 'c' },
  });
  // b after a is fine; c after b would then come before and after a.
  expect(inferBlocks(graph, root)).toEqual([{ task: 'b', on: 'a' }]);
});

test('tasks and cancelled sub-epics take no part', () => {
  const graph = givenGraph({
    root: { type: 'epic' },
    a: epic(1),
    b: { ...epic(2), status: 'cancelled' },
    c: epic(3),
  });
  expect(inferBlocks(graph, root)).toEqual([{ task: 'c', on: 'a' }]);
});
