import type { Kysely } from 'kysely';
import { showTask } from '../../contract/routes/tasks.ts';
import type { TaskJson } from '../../contract/schemas/task.ts';
import type { Approval } from '../../domain/approval/approval.ts';
import type { Task } from '../../domain/work/task.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { attemptsOf } from '../../ledger/queries/attempts.ts';
import { convoyOfTasks } from '../../ledger/queries/convoy-members.ts';
import { openQuestions } from '../../ledger/queries/open-questions.ts';
import { dependentsOf } from '../../ledger/queries/task-list.ts';
import type { Tables } from '../../ledger/tables.ts';
import { ok } from '../../lib/result.ts';
import { reads } from '../context.ts';
import { findOwnTask } from '../identity/own-task.ts';
import { taskView } from '../view/task-view.ts';

/** One task with its edges both ways. */
export const taskShow = reads(showTask, async ({ params, identity }, { ledger }) => {
  const task = await findOwnTask(ledger.db, params.id, identity);
  return task.ok ? ok({ task: await showOne(ledger.db, task.value.id) }) : task;
});

/** The task as it is now; it must exist. */
export async function showOne(db: Kysely<Tables>, id: string): Promise<TaskJson> {
  const stored = await taskAggregate.load(db, id);
  if (stored === null) throw new Error(`No task ${id}`);
  const task = stored.state;
  const convoys = await convoyOfTasks(db, [id]);
  return taskView(task, {
    dependents: await dependentsOf(db, id),
    convoy: convoys.get(id) ?? null,
    asked: await questionsIn(db, task),
    attempts: await attemptsOf(db, id),
  });
}

/** What the agent that works on a task waits to hear from a person. */
export const questionsIn = (db: Kysely<Tables>, task: Task): Promise<Approval[]> =>
  openQuestions(db, task.status === 'in_progress' && task.attempt !== null ? [task.attempt] : []);
