import { expect, test } from 'vitest';
import { givenGraph } from '../graph/given-tasks.ts';
import { taskId } from './ids.ts';
import { epicRollup } from './rollup.ts';
import type { TaskStatus } from './task.ts';

const yes = () => true;

const of = (...statuses: TaskStatus[]) =>
  epicRollup(
    givenGraph({
      e: { type: 'epic' },
      ...Object.fromEntries(statuses.map((status, n) => [`e.${n}`, { parent: 'e', status }])),
    }),
    taskId('e'),
    yes,
  );

test('an epic starts with the first of its tasks', () => {
  expect(of('open', 'deferred', 'pinned', 'blocked', 'skipped')).toBe('open');
  for (const status of ['in_progress', 'submitted', 'merged', 'failed'] as const) {
    expect(of('open', status)).toBe('in_progress');
  }
});

test('a start two levels down counts', () => {
  const graph = givenGraph({
    root: { type: 'epic' },
    sub: { type: 'epic', parent: 'root' },
    t: { parent: 'sub', status: 'in_progress' },
  });
  expect(epicRollup(graph, taskId('root'), yes)).toBe('in_progress');
});

test('an epic that has started does not go back to open', () => {
  const graph = givenGraph({ e: { type: 'epic', status: 'in_progress' }, t: { parent: 'e' } });
  expect(epicRollup(graph, taskId('e'), yes)).toBe('in_progress');
});

test('an epic closes when every child is done, skipped or cancelled', () => {
  expect(of('merged', 'closed', 'skipped', 'cancelled')).toBe('closed');
  expect(of('skipped')).toBe('closed');
  expect(of('merged', 'failed')).toBe('in_progress');
  expect(of('merged', 'open')).toBe('in_progress');
});

test('an epic without children, or with cancelled ones only, does not close by itself', () => {
  expect(of()).toBe('open');
  expect(of('cancelled', 'cancelled')).toBe('open');
});

test('an epic with a branch of its own closes once that branch has landed', () => {
  const graph = givenGraph({ e: { type: 'epic' }, t: { parent: 'e', status: 'merged' } });
  expect(epicRollup(graph, taskId('e'), () => false)).toBe('in_progress');
  expect(epicRollup(graph, taskId('e'), (id) => id === 'e')).toBe('closed');
});

test('the root waits for its sub-epics', () => {
  expect(epicRollup(family('in_progress'), taskId('root'), yes)).toBe('in_progress');
  expect(epicRollup(family('closed'), taskId('root'), yes)).toBe('closed');
});

const family = (sub: TaskStatus) =>
  givenGraph({
    root: { type: 'epic' },
    sub: { type: 'epic', parent: 'root', status: sub },
    t: { parent: 'sub', status: 'merged' },
  });
