import type { TaskPatch } from './commands.ts';
import type { Dependency } from './dependency.ts';
import type { AttemptId, ChangeId, Instant, TaskId } from './ids.ts';
import type { Merged, TaskCore, TaskState } from './task.ts';

/** What happened to a task. Facts: they are never refused and never changed. */
export type TaskEvent =
  | { readonly type: 'task-created'; readonly task: TaskCore & TaskState }
  | { readonly type: 'task-edited'; readonly patch: TaskPatch }
  | { readonly type: 'dependency-added'; readonly dependency: Dependency }
  | { readonly type: 'dependency-removed'; readonly on: TaskId; readonly kind: string }
  | { readonly type: 'child-numbered'; readonly number: number }
  | { readonly type: 'task-held'; readonly reason: string }
  | { readonly type: 'task-deferred'; readonly until: Instant | null }
  | { readonly type: 'task-pinned' }
  | { readonly type: 'task-released' }
  | { readonly type: 'attempt-started'; readonly attempt: AttemptId }
  | { readonly type: 'task-submitted'; readonly attempt: AttemptId; readonly change: ChangeId }
  | {
      readonly type: 'attempt-ended';
      readonly attempt: AttemptId;
      readonly reason: string;
      readonly retryAt: Instant | null;
      readonly uncounted?: true;
    }
  | { readonly type: 'rework-asked'; readonly change: ChangeId; readonly reason: string }
  | { readonly type: 'task-merged'; readonly change: ChangeId; readonly merged: Merged }
  | { readonly type: 'task-failed'; readonly reason: string }
  | { readonly type: 'epic-rolled-up'; readonly to: 'in_progress' | 'closed' | 'open' }
  | { readonly type: 'task-closed'; readonly outcome: string }
  | { readonly type: 'task-skipped'; readonly reason: string }
  | { readonly type: 'task-cancelled'; readonly reason: string }
  | { readonly type: 'task-retried'; readonly reason: string }
  | { readonly type: 'task-reopened'; readonly reason: string };

/** Why a command was not accepted. Nothing is recorded. */
export type TaskRefusal =
  | {
      readonly kind: 'wrong-state';
      readonly command: string;
      readonly status: TaskState['status'];
      readonly allowed: readonly TaskState['status'][];
    }
  | { readonly kind: 'stale-attempt'; readonly current: AttemptId | null }
  | { readonly kind: 'stale-change'; readonly current: ChangeId | null }
  | { readonly kind: 'no-such-edge'; readonly on: TaskId; readonly edgeKind: string | null }
  | { readonly kind: 'not-dispatchable'; readonly type: string }
  | { readonly kind: 'not-an-epic'; readonly type: string };
