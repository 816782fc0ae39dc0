import type { Convoy } from './convoy.ts';
import type { Task } from '../work/task.ts';
import { isDispatchable } from '../work/task.ts';
import type { Readiness } from '../work/readiness.ts';

/** Where a convoy should go next, from what its tasks are and could do. */
export type Outlook =
  | { readonly kind: 'moving' }
  | { readonly kind: 'stalled'; readonly reason: string }
  | { readonly kind: 'work-done' }
  | { readonly kind: 'empty' };

const MOST_NAMED = 5;

/**
 * Stalled means that nothing can move: nothing runs, nothing is queued, nothing will become ready by
 * itself. A queue that a broken gate has paused moves nothing either.
 */
export function outlook(
  convoy: Pick<Convoy, 'id'>,
  tasks: readonly Task[],
  readiness: ReadonlyMap<string, Readiness>,
  queuePaused: ReadonlyMap<string, string>,
): Outlook {
  const required = tasks.filter(
    ({ type, status }) => isDispatchable(type) && status !== 'cancelled' && status !== 'skipped',
  );
  if (tasks.length === 0) return { kind: 'empty' };
  if (required.every(({ status }) => status === 'merged' || status === 'closed'))
    return { kind: 'work-done' };
  const stuckQueues = new Set<string>();
  const moves = required.some((task) => {
    if (task.status === 'in_progress') return true;
    if (task.status === 'submitted') {
      const paused = queuePaused.get(task.id);
      if (paused !== undefined) stuckQueues.add(paused);
      return paused === undefined;
    }
    const state = readiness.get(task.id)?.state;
    if (state === 'ready') return true;
    // What only waits for another task of this convoy moves when that one does.
    return state === 'waiting' && !waitsForTasksOnly(readiness.get(task.id));
  });
  if (moves) return { kind: 'moving' };
  const failed = required.filter(({ status }) => status === 'failed');
  const held = required.filter(({ id }) => readiness.get(id)?.state === 'held');
  const reasons = [
    ...stuckQueues,
    ...(failed.length > 0 ? [impact(failed, required)] : []),
    ...(failed.length === 0 && held.length > 0 ? [firstReason(held, readiness)] : []),
  ];
  return { kind: 'stalled', reason: reasons.join('; ') || `nothing in ${convoy.id} can move` };
}

const TASK_WAITS = new Set([
  'blocked_by_open',
  'blocked_by_submitted',
  'epic_inherits',
  'condition_pending',
]);

const waitsForTasksOnly = (readiness: Readiness | undefined): boolean =>
  readiness !== undefined && readiness.reasons.every(({ code }) => TASK_WAITS.has(code));

function impact(failed: readonly Task[], required: readonly Task[]): string {
  const waiting = required.filter(({ status }) => status === 'open').length;
  const names = failed.slice(0, MOST_NAMED).map(({ id }) => id);
  const more = failed.length > MOST_NAMED ? ` and ${failed.length - MOST_NAMED} more` : '';
  return `${names.join(', ')}${more} failed${waiting > 0 ? `, which holds ${waiting} ${waiting === 1 ? 'task' : 'tasks'}` : ''}`;
}

function firstReason(held: readonly Task[], readiness: ReadonlyMap<string, Readiness>): string {
  const [first] = held;
  const [reason] = first === undefined ? [] : (readiness.get(first.id)?.reasons ?? []);
  const more = held.length > 1 ? ` (and ${held.length - 1} more are held)` : '';
  return `${reason?.message ?? 'a person must act'}${more}`;
}
