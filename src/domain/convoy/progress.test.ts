import { expect, test } from 'vitest';
import { TASK_STATUSES } from '../work/task.ts';
import type { TaskStatus } from '../work/task.ts';
import { progress } from './progress.ts';

const tasks = (...statuses: TaskStatus[]) =>
  statuses.map((status) => ({ type: 'task', status }) as const);

test('KG-40 progress counts what is done of what is required', () => {
  expect(progress(tasks('open', 'open', 'open'))).toMatchObject({ required: 3, done: 0 });
  expect(progress(tasks('merged', 'closed', 'open'))).toMatchObject({ required: 3, done: 2 });
});

test('KG-42 a failed task is required and not done', () => {
  expect(progress(tasks('failed', 'closed'))).toMatchObject({ required: 2, done: 1, failed: 1 });
});

test('KG-45 a change in the queue is not done', () => {
  expect(progress(tasks('submitted', 'merged'))).toMatchObject({ done: 1, queued: 1 });
});

test('each status has its place', () => {
  expect(progress(tasks(...TASK_STATUSES))).toEqual({
    required: TASK_STATUSES.length - 2,
    done: 2,
    merged: 1,
    closed: 1,
    failed: 1,
    skipped: 1,
    running: 1,
    queued: 1,
  });
});

test('epics, decisions and milestones are not counted', () => {
  const others = (['epic', 'decision', 'milestone'] as const).map((type) => ({
    type,
    status: 'closed' as const,
  }));
  expect(progress(others)).toMatchObject({ required: 0, done: 0 });
});
