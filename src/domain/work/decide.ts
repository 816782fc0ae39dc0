import { err, ok, type Result } from '../../lib/result.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { ALLOWED } from './allowed.ts';
import type { TaskCommand } from './commands.ts';
import type { TaskEvent, TaskRefusal } from './events.ts';
import { isDispatchable, type Task } from './task.ts';

type Decision = Result<TaskEvent[], TaskRefusal>;

/** What a command would change about a task, or why it may not. */
export function decideTask(task: Task, command: TaskCommand): Decision {
  const allowed = ALLOWED[command.type];
  if (!allowed.includes(task.status))
    return err({ kind: 'wrong-state', command: command.type, status: task.status, allowed });
  switch (command.type) {
    case 'edit':
    case 'add-dependency':
    case 'remove-dependency':
    case 'number-child':
      return decideContent(task, command);
    case 'hold':
    case 'defer':
    case 'pin':
    case 'release':
      return ok([holding(command)]);
    case 'start':
    case 'submit':
    case 'resubmit':
    case 'give-back':
    case 'rework':
    case 'merge':
    case 'fail':
      return decideWork(task, command);
    case 'roll-up':
    case 'close':
    case 'skip':
    case 'cancel':
    case 'retry':
    case 'reopen':
      return decideEnd(task, command);
    default:
      return unreachable(command);
  }
}

type Content = Extract<
  TaskCommand,
  { type: 'edit' | 'add-dependency' | 'remove-dependency' | 'number-child' }
>;

function decideContent(task: Task, command: Content): Decision {
  switch (command.type) {
    case 'edit':
      return ok(
        Object.keys(command.patch).length === 0
          ? []
          : [{ type: 'task-edited', patch: command.patch }],
      );
    case 'add-dependency':
      return ok([{ type: 'dependency-added', dependency: command.dependency }]);
    case 'remove-dependency': {
      const edges = task.dependencies.filter(
        ({ on, kind }) => on === command.on && (command.kind === null || kind === command.kind),
      );
      if (edges.length === 0)
        return err({ kind: 'no-such-edge', on: command.on, edgeKind: command.kind });
      return ok(edges.map(({ on, kind }) => ({ type: 'dependency-removed', on, kind })));
    }
    case 'number-child':
      return ok([{ type: 'child-numbered', number: task.childCount + 1 }]);
    default:
      return unreachable(command);
  }
}

type Holding = Extract<TaskCommand, { type: 'hold' | 'defer' | 'pin' | 'release' }>;

function holding(command: Holding): TaskEvent {
  switch (command.type) {
    case 'hold':
      return { type: 'task-held', reason: command.reason };
    case 'defer':
      return { type: 'task-deferred', until: command.until };
    case 'pin':
      return { type: 'task-pinned' };
    case 'release':
      return { type: 'task-released' };
    default:
      return unreachable(command);
  }
}

type Work = Extract<
  TaskCommand,
  { type: 'start' | 'submit' | 'resubmit' | 'give-back' | 'rework' | 'merge' | 'fail' }
>;

function decideWork(task: Task, command: Work): Decision {
  // A late report from an attempt or a change that was given up must not win.
  if ('attempt' in task && 'attempt' in command && task.attempt !== command.attempt)
    return err({ kind: 'stale-attempt', current: task.attempt });
  if ('change' in task && 'change' in command && task.change !== command.change)
    return err({ kind: 'stale-change', current: task.change });
  switch (command.type) {
    case 'start':
      if (!isDispatchable(task.type)) return err({ kind: 'not-dispatchable', type: task.type });
      return ok([{ type: 'attempt-started', attempt: command.attempt }]);
    case 'submit':
    case 'resubmit':
      return ok([{ type: 'task-submitted', attempt: command.attempt, change: command.change }]);
    case 'give-back':
      return ok([
        {
          type: 'attempt-ended',
          attempt: command.attempt,
          reason: command.reason,
          retryAt: command.retryAt,
          ...(command.uncounted === true ? { uncounted: true } : {}),
        },
      ]);
    case 'rework':
      return ok([{ type: 'rework-asked', change: command.change, reason: command.reason }]);
    case 'merge':
      return ok([{ type: 'task-merged', change: command.change, merged: command.merged }]);
    case 'fail':
      return decideFailure(task, command);
    default:
      return unreachable(command);
  }
}

/** An attempt or a change speaks for the task only while it holds it. */
function decideFailure(
  { status }: Task,
  { reason, attempt, change }: Extract<TaskCommand, { type: 'fail' }>,
): Decision {
  if (attempt !== undefined && status !== 'in_progress')
    return err({ kind: 'stale-attempt', current: null });
  if (change !== undefined && status !== 'submitted')
    return err({ kind: 'stale-change', current: null });
  return ok([{ type: 'task-failed', reason }]);
}

type End = Extract<
  TaskCommand,
  { type: 'roll-up' | 'close' | 'skip' | 'cancel' | 'retry' | 'reopen' }
>;

function decideEnd(task: Task, command: End): Decision {
  switch (command.type) {
    case 'roll-up':
      if (task.type !== 'epic') return err({ kind: 'not-an-epic', type: task.type });
      return ok(task.status === command.to ? [] : [{ type: 'epic-rolled-up', to: command.to }]);
    case 'close':
      return ok([{ type: 'task-closed', outcome: command.outcome }]);
    case 'skip':
      return ok([{ type: 'task-skipped', reason: command.reason }]);
    case 'cancel':
      return ok([{ type: 'task-cancelled', reason: command.reason }]);
    case 'retry':
      return ok([{ type: 'task-retried', reason: command.reason }]);
    case 'reopen':
      return ok([{ type: 'task-reopened', reason: command.reason }]);
    default:
      return unreachable(command);
  }
}
