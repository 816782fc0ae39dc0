import { isDispatchable } from '../work/task.ts';
import type { TaskStatus, TaskType } from '../work/task.ts';

export type Progress = {
  /** Dispatchable tasks that are still wanted: neither cancelled nor skipped. */
  readonly required: number;
  /** Merged and closed together. */
  readonly done: number;
  readonly merged: number;
  readonly closed: number;
  readonly failed: number;
  readonly skipped: number;
  /** With a live attempt. */
  readonly running: number;
  /** With a change in the merge queue. */
  readonly queued: number;
};

type Counted = { readonly type: TaskType; readonly status: TaskStatus };

/** The one counting rule: how far a set of tasks has come. */
export function progress(tasks: Iterable<Counted>): Progress {
  const counts = new Map<TaskStatus, number>();
  let all = 0;
  for (const { type, status } of tasks) {
    if (!isDispatchable(type)) continue;
    all += 1;
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const count = (status: TaskStatus): number => counts.get(status) ?? 0;
  return {
    required: all - count('cancelled') - count('skipped'),
    done: count('merged') + count('closed'),
    merged: count('merged'),
    closed: count('closed'),
    failed: count('failed'),
    skipped: count('skipped'),
    running: count('in_progress'),
    queued: count('submitted'),
  };
}
