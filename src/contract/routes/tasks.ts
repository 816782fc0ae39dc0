import * as z from 'zod';
import { route } from '../route.ts';
import { newDependency, newTask, task, taskEdit, taskRow } from '../schemas/task.ts';
import { cursor, flag, idText, limit, list, reason, schemaTag } from '../schemas/words.ts';

const one = z.object({ schema: schemaTag, task });
const byId = z.object({ id: idText });

export const createTask = route({
  id: 'task.create',
  method: 'POST',
  path: '/tasks',
  summary: 'Write down a task or an epic',
  roles: ['manager'],
  body: newTask,
  output: one,
});

export const listTasks = route({
  id: 'task.list',
  method: 'GET',
  path: '/tasks',
  summary: 'Tasks that match all the filters given, oldest first',
  query: z.object({
    status: list.optional(),
    type: list.optional(),
    repo: z.string().optional(),
    label: list.optional(),
    parent: z.string().optional(),
    convoy: z.string().optional(),
    assignee: z.string().optional(),
    text: z.string().max(200).optional(),
    ready: flag.optional().describe('Only what nothing but its convoy and capacity holds'),
    startable: flag.optional().describe('Only what starts in the next pass of the engine'),
    limit,
    cursor,
  }),
  output: z.object({ schema: schemaTag, tasks: z.array(taskRow), next: z.string().nullable() }),
});

export const showTask = route({
  id: 'task.show',
  method: 'GET',
  path: '/tasks/{id}',
  summary: 'One task with its edges both ways',
  roles: ['viewer', 'worker', 'reviewer'],
  params: byId,
  output: one,
});

export const editTask = route({
  id: 'task.edit',
  method: 'PATCH',
  path: '/tasks/{id}',
  summary: 'Change what a task says, its place or its hold',
  roles: ['manager'],
  params: byId,
  body: taskEdit,
  output: one,
});

const because = z.strictObject({ reason: reason.optional() });

export const closeTask = route({
  id: 'task.close',
  method: 'POST',
  path: '/tasks/{id}/close',
  summary: 'Declare work without code as done, or decide a decision',
  roles: ['manager'],
  params: byId,
  body: because,
  output: one,
});

export const reopenTask = route({
  id: 'task.reopen',
  method: 'POST',
  path: '/tasks/{id}/reopen',
  summary: 'Take a finished task up again',
  roles: ['manager'],
  params: byId,
  body: because,
  output: one,
});

export const retryTask = route({
  id: 'task.retry',
  method: 'POST',
  path: '/tasks/{id}/retry',
  summary: 'Give a failed task a fresh budget of attempts',
  roles: ['manager'],
  params: byId,
  body: because,
  output: one,
});

export const skipTask = route({
  id: 'task.skip',
  method: 'POST',
  path: '/tasks/{id}/skip',
  summary: 'Leave a task out and let its dependents go on',
  roles: ['manager'],
  params: byId,
  body: because,
  output: one,
});

export const addDependency = route({
  id: 'task.dep.add',
  method: 'POST',
  path: '/tasks/{id}/dependencies',
  summary: 'Let a task wait for another',
  roles: ['manager'],
  params: byId,
  body: newDependency,
  output: one,
});

export const removeDependency = route({
  id: 'task.dep.rm',
  method: 'DELETE',
  path: '/tasks/{id}/dependencies/{on}',
  summary: 'Take an edge away',
  roles: ['manager'],
  params: z.object({ id: idText, on: idText }),
  query: z.object({ kind: z.string().optional() }),
  output: one,
});
