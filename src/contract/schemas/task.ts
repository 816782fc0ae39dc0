import * as z from 'zod';
import {
  dependencyKind,
  idText,
  label,
  level,
  priority,
  reason,
  repoName,
  taskStatus,
  taskType,
  time,
  title,
  words,
} from './words.ts';

export const criterion = z.object({ text: z.string().min(1).max(2000), done: z.boolean() });

export const newDependency = z.strictObject({
  on: idText,
  kind: dependencyKind.default('blocks'),
  level: level.optional(),
  children: z.enum(['all', 'any']).optional(),
});

const editable = {
  title: title,
  description: words,
  acceptance: z.array(criterion).max(200),
  type: taskType,
  priority: priority,
  labels: z.array(label).max(100),
  assignee: z.string().trim().max(200).nullable(),
  estimate_minutes: z.number().int().min(0).max(525_600).nullable(),
  due_at: time.nullable(),
  external_ref: z.string().trim().max(500).nullable(),
  metadata: z.record(z.string(), z.unknown()),
  agent: z.string().trim().max(100).nullable(),
  verify: z
    .array(z.array(z.string().min(1)).min(1))
    .max(50)
    .nullable(),
  own_branch: z.boolean(),
};

export const newTask = z
  .strictObject({
    ...editable,
    repo: repoName,
    parent: idText,
    defer_until: time,
    depends_on: z.array(newDependency).max(1000),
  })
  .partial()
  .required({ title: true });

/** A status that a person may set by hand; the others follow from facts. */
export const heldStatus = z.enum(['open', 'deferred', 'pinned', 'blocked']);

export const taskEdit = z
  .strictObject({
    ...editable,
    repo: repoName.nullable(),
    parent: idText.nullable(),
    status: heldStatus,
    defer_until: time.nullable(),
    reason: reason,
    add_labels: z.array(label),
    remove_labels: z.array(label),
  })
  .partial();

export const dependencyRef = z.object({
  id: z.string(),
  kind: z.string(),
  level: level.optional(),
  children: z.enum(['all', 'any']).optional(),
});

export const mergedProof = z.object({
  commit: z.string(),
  tree: z.string(),
  target: z.string(),
  proof: z.string(),
  unverified: z.boolean(),
});

/** What an agent at work waits to hear from a person. */
export const asks = z.object({
  approval: z.string(),
  kind: z.enum(['input', 'permission']),
  attempt: z.string(),
  text: z.string(),
  choices: z.array(z.string()),
  asked_at: z.string(),
});

/** What an agent did outside its worktree, as far as it was seen; none of it is part of its change. */
export const misdeed = z.object({ attempt: z.string(), number: z.number(), text: z.string() });

export const task = z.object({
  id: z.string(),
  repo: z.string().nullable(),
  title: z.string(),
  description: z.string(),
  acceptance: z.array(criterion),
  type: taskType,
  status: taskStatus,
  priority: priority,
  parent: z.string().nullable(),
  labels: z.array(z.string()),
  assignee: z.string().nullable(),
  estimate_minutes: z.number().nullable(),
  due_at: z.string().nullable(),
  defer_until: z.string().nullable(),
  external_ref: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  agent: z.string().nullable(),
  verify: z.array(z.array(z.string())).nullable(),
  own_branch: z.boolean(),
  depends_on: z.array(dependencyRef),
  blocks: z.array(dependencyRef),
  attempts: z.number(),
  convoy: z.string().nullable(),
  merged: mergedProof.nullable(),
  outcome: z.string().nullable().describe('Why it ended or is held, in words'),
  asks: z.array(asks).describe('What its agent waits to hear from a person'),
  misdeeds: z
    .array(misdeed)
    .describe('What its agents did outside their worktrees, as far as seen'),
  created_at: z.string(),
  created_by: z.string(),
  updated_at: z.string(),
});

export const taskRow = task.pick({
  id: true,
  repo: true,
  title: true,
  type: true,
  status: true,
  priority: true,
  parent: true,
  labels: true,
  attempts: true,
  convoy: true,
  created_at: true,
  updated_at: true,
});

export type MisdeedJson = z.output<typeof misdeed>;
export type AsksJson = z.output<typeof asks>;
export type TaskJson = z.output<typeof task>;
export type TaskRowJson = z.output<typeof taskRow>;
export type NewTaskJson = z.output<typeof newTask>;
export type TaskEditJson = z.output<typeof taskEdit>;
