import { expect, test } from 'vitest';
import { outlook } from '../convoy/outlook.ts';
import { convoyId, repoName, taskId } from '../work/ids.ts';
import { newTask } from '../work/new-task.ts';
import type { Task } from '../work/task.ts';
import { causesOf } from './stall-causes.ts';

test.each([
  ['web-1 failed', ['web-1']],
  ['web-1 failed, which holds 1 task', ['web-1']],
  ['web-1, web-2 failed, which holds 4 tasks', ['web-1', 'web-2']],
  ['the gate test is broken; web-1 failed', ['the gate test is broken', 'web-1']],
  ['a person must act (and 3 more are held)', ['a person must act']],
  ['the landing in web is red', ['the landing in web is red']],
  ['', ['']],
])('%s: %j', (reason, causes) => {
  expect([...causesOf(reason)]).toEqual(causes);
});

const task = (id: string): Task =>
  newTask(taskId(id), { title: id, repo: repoName('web') }, 'ada', 0);
const failed = (id: string): Task => ({
  ...task(id),
  status: 'failed',
  reason: 'three attempts',
  at: 1,
});

/** What a convoy of these tasks says when it stalls. */
function reasonOf(tasks: readonly Task[]): string {
  const held = new Map(
    tasks.map(({ id }) => [id as string, { state: 'held' as const, reasons: [] }]),
  );
  const next = outlook({ id: convoyId('cv-1') }, tasks, held, new Map());
  return next.kind === 'stalled' ? next.reason : next.kind;
}

test('the words of the outlook are understood: what fails is the cause, what it holds is not', () => {
  const one = [failed('web-1'), task('web-2'), task('web-3')];
  const two = [failed('web-1'), failed('web-2'), task('web-3')];
  expect([...causesOf(reasonOf(one))]).toEqual(['web-1']);
  expect([...causesOf(reasonOf(two))]).toEqual(['web-1', 'web-2']);
});
