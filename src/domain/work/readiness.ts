import type { WorkGraph } from '../graph/work-graph.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { readinessBlockers } from './readiness-blockers.ts';
import { surroundings } from './readiness-surroundings.ts';
import type { ReadinessFacts } from './readiness-surroundings.ts';
import { holds, strongestFirst, waits } from './readiness-reason.ts';
import type { Reason } from './readiness-reason.ts';
import type { Instant } from './ids.ts';
import { isDispatchable } from './task.ts';
import type { Task } from './task.ts';

/**
 * ready      may start now
 * waiting    will become ready by itself
 * held       a person must act first
 * active     runs, or its change is in the queue
 * finished   nothing left to do
 */
export type Readiness = {
  readonly state: 'ready' | 'waiting' | 'held' | 'active' | 'finished';
  /** Everything that stands in the way, strongest first; empty only when ready. */
  readonly reasons: readonly Reason[];
};

/** Decides whether a task may start, for stage, scheduler, status and `why` alike. */
export function readiness(task: Task, graph: WorkGraph, facts: ReadinessFacts): Readiness {
  const settled = whenUnderWay(task);
  if (settled) return settled;
  const reasons = strongestFirst(
    isDispatchable(task.type)
      ? [
          ...ownReasons(task, facts),
          ...readinessBlockers(graph, task.id, facts.afterFailure),
          ...surroundings(task, facts),
        ]
      : [notDispatchable(task), ...readinessBlockers(graph, task.id)],
  );
  if (reasons.some((reason) => reason.held)) return { state: 'held', reasons };
  return { state: reasons.length > 0 ? 'waiting' : 'ready', reasons };
}

function whenUnderWay(task: Task): Readiness | null {
  const { id, status } = task;
  if (status === 'in_progress') {
    return { state: 'active', reasons: [waits('running', [id], `${id} is in progress.`)] };
  }
  if (status === 'submitted') {
    const message = `${id} is submitted and its change is in the queue.`;
    return { state: 'active', reasons: [waits('submitted', [id], message)] };
  }
  if (['merged', 'closed', 'skipped', 'cancelled'].includes(status)) {
    return { state: 'finished', reasons: [waits('finished', [id], `${id} is ${status}.`)] };
  }
  return null;
}

function notDispatchable({ id, type }: Task): Reason {
  return type === 'epic'
    ? waits('not_dispatchable', [id], `${id} is an epic: its tasks run, it does not.`)
    : holds('not_dispatchable', [id], `${id} is a ${type}: a person closes it.`);
}

/** What the task itself says against starting. */
function ownReasons(task: Task, facts: ReadinessFacts): Reason[] {
  const { id, attempts } = task;
  switch (task.status) {
    case 'open':
      return [...spent(id, attempts, facts), ...backingOff(task, task.retryAt, facts.now)];
    case 'deferred':
      return [...spent(id, attempts, facts), ...deferred(id, task.until, facts.now)];
    case 'failed':
      return [
        holds(
          'attempts_spent',
          [id],
          `${id} failed after ${attempts} of ${facts.attempts.budget} attempts: ${task.reason}. Retry it, skip it or remove it from the convoy.`,
        ),
      ];
    case 'pinned':
      return [holds('pinned', [id], `${id} is pinned.`)];
    case 'blocked':
      return [holds('held_by_person', [id], `${id} is held by a person: ${task.reason}.`)];
    case 'in_progress':
    case 'submitted':
    case 'merged':
    case 'closed':
    case 'skipped':
    case 'cancelled':
      return [];
    default:
      return unreachable(task);
  }
}

function spent(id: string, attempts: number, { attempts: { budget } }: ReadinessFacts): Reason[] {
  if (attempts < budget) return [];
  return [holds('attempts_spent', [id], `${id} has used ${attempts} of ${budget} attempts.`)];
}

/** A clock that was set back makes no wait longer: the wait began when the task was last touched. */
function backingOff({ id, updatedAt }: Task, retryAt: Instant | null, now: Instant): Reason[] {
  if (retryAt === null || retryAt <= now || now < updatedAt) return [];
  return [waits('backing_off', [id], `${id} is backing off until ${iso(retryAt)}.`)];
}

function deferred(id: string, until: Instant | null, now: Instant): Reason[] {
  if (until === null) return [holds('deferred_until', [id], `${id} is deferred without a date.`)];
  if (until <= now) return [];
  return [waits('deferred_until', [id], `${id} is deferred until ${iso(until)}.`)];
}

const iso = (instant: Instant): string => new Date(instant).toISOString();
