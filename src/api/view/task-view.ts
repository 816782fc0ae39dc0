import type { TaskJson, TaskRowJson } from '../../contract/schemas/task.ts';
import type { Approval } from '../../domain/approval/approval.ts';
import type { Attempt } from '../../domain/work/attempt.ts';
import type { Level } from '../../domain/work/dependency.ts';
import type { Task } from '../../domain/work/task.ts';
import type { Tables } from '../../ledger/tables.ts';
import { asksView } from './asks-view.ts';
import { misdeedsView } from './misdeeds-view.ts';

/** A task as the outside sees it. */
export function taskView(
  task: Task,
  beside: {
    readonly dependents: readonly Tables['dependency'][];
    readonly convoy: string | null;
    readonly asked: readonly Approval[];
    readonly attempts: readonly Attempt[];
  },
): TaskJson {
  return {
    ...taskRowView(task, beside.convoy),
    description: task.description,
    acceptance: [...task.acceptance],
    assignee: task.assignee,
    estimate_minutes: task.estimateMinutes,
    due_at: iso(task.dueAt),
    defer_until: task.status === 'deferred' ? iso(task.until) : null,
    external_ref: task.externalRef,
    metadata: task.metadata,
    agent: task.agent,
    verify: task.verify === null ? null : task.verify.map((argv) => [...argv]),
    own_branch: task.ownBranch,
    depends_on: task.dependencies.map(({ on, kind, level, children }) => ({
      id: on,
      kind,
      ...(level === undefined ? {} : { level }),
      ...(children === undefined ? {} : { children }),
    })),
    blocks: beside.dependents.map(({ task: id, kind, level }) => ({
      id,
      kind,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the task aggregate writes this column
      ...(level === null ? {} : { level: level as Level }),
    })),
    merged: task.status === 'merged' ? task.merged : null,
    outcome: outcomeOf(task),
    asks: beside.asked.map(asksView),
    misdeeds: misdeedsView(beside.attempts),
    created_by: task.createdBy,
  };
}

export const taskRowView = (task: Task, convoy: string | null): TaskRowJson => ({
  id: task.id,
  repo: task.repo,
  title: task.title,
  type: task.type,
  status: task.status,
  priority: task.priority,
  parent: task.parent,
  labels: [...task.labels],
  attempts: task.attempts,
  convoy,
  created_at: new Date(task.createdAt).toISOString(),
  updated_at: new Date(task.updatedAt).toISOString(),
});

/** Why it ended, is held or was given back, in words. */
export function outcomeOf(task: Task): string | null {
  if ('outcome' in task) return task.outcome;
  if ('reason' in task) return task.reason;
  return 'lastFailure' in task ? task.lastFailure : null;
}

export const iso = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString();
