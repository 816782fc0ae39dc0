import { unreachable } from '../../lib/unreachable.ts';
import type { TaskEvent } from './events.ts';
import type { Instant } from './ids.ts';
import type { Task, TaskCore, TaskState } from './task.ts';

/** The task after an event that happened at `at`. Events are facts, so this never refuses. */
export function evolveTask(task: Task | null, event: TaskEvent, at: Instant): Task {
  if (event.type === 'task-created') return event.task;
  if (task === null) throw new Error(`The first event of a task is ${event.type}`);
  switch (event.type) {
    case 'task-edited':
      return { ...task, ...event.patch, updatedAt: at };
    case 'dependency-added':
      return { ...task, dependencies: [...task.dependencies, event.dependency], updatedAt: at };
    case 'dependency-removed':
      return { ...task, dependencies: without(task, event.on, event.kind), updatedAt: at };
    case 'child-numbered':
      return { ...task, childCount: event.number };
    default: {
      const attempts = attemptsAfter(task.attempts, event);
      return { ...coreOf(task), attempts, updatedAt: at, ...stateAfter(event, at) };
    }
  }
}

type ContentEvent =
  | 'task-created'
  | 'task-edited'
  | 'dependency-added'
  | 'dependency-removed'
  | 'child-numbered';
type StateEvent = Exclude<TaskEvent, { type: ContentEvent }>;

function attemptsAfter(attempts: number, event: StateEvent): number {
  if (event.type === 'attempt-started') return attempts + 1;
  if (event.type === 'attempt-ended' && event.uncounted === true) return attempts - 1;
  return event.type === 'task-retried' || event.type === 'task-reopened' ? 0 : attempts;
}

function stateAfter(event: StateEvent, at: Instant): TaskState {
  switch (event.type) {
    case 'task-held':
      return { status: 'blocked', reason: event.reason };
    case 'task-deferred':
      return { status: 'deferred', until: event.until };
    case 'task-pinned':
      return { status: 'pinned' };
    case 'task-released':
    case 'task-retried':
    case 'task-reopened':
      return { status: 'open', retryAt: null, lastFailure: null };
    case 'attempt-started':
      return { status: 'in_progress', attempt: event.attempt, since: at };
    case 'task-submitted':
      return { status: 'submitted', attempt: event.attempt, change: event.change, since: at };
    case 'attempt-ended':
      return { status: 'open', retryAt: event.retryAt, lastFailure: event.reason };
    case 'rework-asked':
      return { status: 'open', retryAt: null, lastFailure: event.reason };
    case 'task-merged':
      return { status: 'merged', merged: event.merged, at };
    case 'task-failed':
      return { status: 'failed', reason: event.reason, at };
    case 'epic-rolled-up':
      return rolledUp(event.to, at);
    case 'task-closed':
      return { status: 'closed', outcome: event.outcome, at };
    case 'task-skipped':
      return { status: 'skipped', reason: event.reason, at };
    case 'task-cancelled':
      return { status: 'cancelled', reason: event.reason, at };
    default:
      return unreachable(event);
  }
}

function rolledUp(to: 'in_progress' | 'closed' | 'open', at: Instant): TaskState {
  switch (to) {
    case 'open':
      return { status: 'open', retryAt: null, lastFailure: null };
    case 'in_progress':
      // No attempt holds an epic: its progress is its children's.
      return { status: 'in_progress', attempt: null, since: at };
    case 'closed':
      return { status: 'closed', outcome: 'every child is done', at };
    default:
      return unreachable(to);
  }
}

const without = (task: Task, on: string, kind: string): Task['dependencies'] =>
  task.dependencies.filter((edge) => edge.on !== on || edge.kind !== kind);

/** Facts that belong to one state only and must not outlive it. */
const STATE_FACTS = new Set([
  'status',
  'retryAt',
  'lastFailure',
  'attempt',
  'since',
  'change',
  'merged',
  'at',
  'outcome',
  'reason',
  'until',
]);

function coreOf(task: Task): TaskCore {
  const entries = Object.entries(task).filter(([key]) => !STATE_FACTS.has(key));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is left is the core, by the set above
  return Object.fromEntries(entries) as TaskCore;
}
