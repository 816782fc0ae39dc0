import type { TaskEvent } from '../../src/domain/work/events.ts';
import { repoName, taskId } from '../../src/domain/work/ids.ts';
import { newTask, type TaskDraft } from '../../src/domain/work/new-task.ts';
import type { Task } from '../../src/domain/work/task.ts';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import type { Ledger } from '../../src/ledger/open.ts';
import type { Tx } from '../../src/ledger/transaction.ts';
import { ok, type Result } from '../../src/lib/result.ts';

/** Records a new task inside a command. */
export function recordTask(tx: Tx, id: string, draft: Partial<TaskDraft> = {}): Promise<Task> {
  const task = newTask(
    taskId(id),
    { title: `Task ${id}`, repo: repoName('main'), ...draft },
    'test',
    tx.at,
  );
  return tx.record(taskAggregate, id, [{ type: 'task-created', task }]);
}

/** A command that creates a task. */
export const create = (
  ledger: Ledger,
  id: string,
  draft: Partial<TaskDraft> = {},
): Promise<Result<Task, never>> =>
  ledger.write('test', async (tx) => ok(await recordTask(tx, id, draft)));

/** A command that adds events to a task. */
export const change = (
  ledger: Ledger,
  id: string,
  ...events: TaskEvent[]
): Promise<Result<Task, never>> =>
  ledger.write('test', async (tx) => ok(await tx.record(taskAggregate, id, events)));
