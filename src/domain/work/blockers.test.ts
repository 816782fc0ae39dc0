import { describe, expect, test } from 'vitest';
import { givenGraph } from '../graph/given-tasks.ts';
import { blockersOf } from './blockers.ts';
import type { Dependency } from './dependency.ts';
import { taskId } from './ids.ts';
import { TASK_STATUSES } from './task.ts';
import type { TaskStatus, TaskType } from './task.ts';

const x = taskId('x');

const stateOf = (edge: Omit<Dependency, 'on'>, status: TaskStatus, type: TaskType = 'task') =>
  blockersOf(
    givenGraph({ x: { status, type }, t: { after: [{ ...edge, on: x }] } }),
    taskId('t'),
  )[0]?.state;

const table = (edge: Omit<Dependency, 'on'>, type: TaskType = 'task') =>
  Object.fromEntries(TASK_STATUSES.map((status) => [status, stateOf(edge, status, type)]));

const WAITING = Object.fromEntries(TASK_STATUSES.map((status) => [status, 'waiting']));
const BLOCKS = {
  ...WAITING,
  merged: 'satisfied',
  closed: 'satisfied',
  skipped: 'satisfied',
  failed: 'failed',
  cancelled: 'cancelled',
};

describe('GT-81 GT-91 how each kind of edge stands for each status of the blocker', () => {
  test('blocks lets go when the blocker is done or skipped', () => {
    expect(table({ kind: 'blocks' })).toEqual(BLOCKS);
    expect(table({ kind: 'blocks', level: 'merged' })).toEqual(BLOCKS);
    expect(table({ kind: 'blocks', level: 'closed' })).toEqual(BLOCKS);
  });

  test('blocks at the level submitted lets go a step earlier', () => {
    expect(table({ kind: 'blocks', level: 'submitted' })).toEqual({
      ...BLOCKS,
      submitted: 'satisfied',
    });
  });

  test('GT-82 merge-blocks waits on when code was closed without a merge', () => {
    expect(table({ kind: 'merge-blocks' })).toEqual({ ...BLOCKS, closed: 'waiting' });
    expect(table({ kind: 'merge-blocks' }, 'epic')).toEqual(BLOCKS);
  });

  test('GT-27 conditional-blocks lets go only after a failure', () => {
    expect(table({ kind: 'conditional-blocks' })).toEqual({
      ...WAITING,
      merged: 'skip',
      closed: 'skip',
      skipped: 'skip',
      failed: 'satisfied',
      cancelled: 'cancelled',
    });
  });

  test('waits-for a task without children waits for the task', () => {
    expect(table({ kind: 'waits-for' })).toEqual(BLOCKS);
  });

  test.each(['decision', 'milestone'] as const)('an unfinished %s is a gate', (type) => {
    const gate = Object.fromEntries(TASK_STATUSES.map((status) => [status, 'gate']));
    expect(table({ kind: 'blocks' }, type)).toEqual({
      ...gate,
      merged: 'satisfied',
      closed: 'satisfied',
      skipped: 'satisfied',
      cancelled: 'cancelled',
    });
  });
});

test.each(['related', 'tracks', 'my-word'])('GT-81 %s is no blocker', (kind) => {
  expect(stateOf({ kind }, 'open')).toBeUndefined();
});

describe('GT-26 waits-for an epic', () => {
  test('all children must be done or skipped', () => {
    expect(children('all', 'merged', 'open')).toBe('waiting');
    expect(children('all', 'merged', 'skipped')).toBe('satisfied');
    expect(children('all', 'merged', 'failed', 'open')).toBe('failed');
  });

  test('or any of them', () => {
    expect(children('any', 'closed', 'open')).toBe('satisfied');
    expect(children('any', 'failed', 'open')).toBe('waiting');
    expect(children('any', 'failed', 'failed')).toBe('failed');
  });

  test('cancelled children do not count, unless there is nothing else', () => {
    expect(children('all', 'merged', 'cancelled')).toBe('satisfied');
    expect(children('any', 'open', 'cancelled')).toBe('waiting');
    expect(children('all', 'cancelled')).toBe('cancelled');
    expect(children('any', 'cancelled')).toBe('cancelled');
  });
});

test('an epic that is blocked passes its edges on to everything below', () => {
  const graph = givenGraph({
    one: { type: 'epic', status: 'in_progress' },
    two: { type: 'epic', after: ['one'] },
    sub: { type: 'epic', parent: 'two' },
    a: {},
    t: { parent: 'sub', after: ['a'] },
  });
  const edge = { kind: 'blocks', level: 'merged', state: 'waiting' };
  expect(blockersOf(graph, taskId('t'))).toEqual([
    { ...edge, on: 'a', via: null },
    { ...edge, on: 'one', via: 'two' },
  ]);
});

test('a failed child does not make its epic a failed blocker', () => {
  const graph = givenGraph({
    e: { type: 'epic', status: 'in_progress' },
    c: { parent: 'e', status: 'failed' },
    t: { after: ['e'] },
  });
  expect(blockersOf(graph, taskId('t'))[0]!.state).toBe('waiting');
});

test('GT-80 a blocker that is not in the graph is unknown, which lets nothing go', () => {
  expect(blockersOf(givenGraph({ t: { after: ['gone'] } }), taskId('t'))[0]!.state).toBe('unknown');
});

function children(need: 'all' | 'any', ...statuses: TaskStatus[]) {
  const graph = givenGraph({
    x: { type: 'epic' },
    ...Object.fromEntries(statuses.map((status, n) => [`x.${n}`, { parent: 'x', status }])),
    t: { after: [{ on: x, kind: 'waits-for', children: need }] },
  });
  return blockersOf(graph, taskId('t'))[0]!.state;
}
