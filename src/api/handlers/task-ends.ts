import type { AnyRoute } from '../../contract/route.ts';
import { closeTask, reopenTask, retryTask, skipTask } from '../../contract/routes/tasks.ts';
import { decideConvoy } from '../../domain/convoy/decide.ts';
import type { TaskCommand } from '../../domain/work/commands.ts';
import { decideTask } from '../../domain/work/decide.ts';
import type { Task } from '../../domain/work/task.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { convoyOfTasks } from '../../ledger/queries/convoy-members.ts';
import { rollUp } from '../../ledger/roll-up.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok } from '../../lib/result.ts';
import { type Handler, writes } from '../context.ts';
import { findTask } from '../find.ts';
import { refused, taskProblem } from '../problems.ts';
import { showOne } from './task-show.ts';

/** Declares work without code as done. A merge is never declared: git shows it. */
export const taskClose = ending(closeTask, (reason) => ({
  type: 'close',
  outcome: reason ?? 'closed by hand, without code',
}));

export const taskReopen = ending(reopenTask, (reason) => ({
  type: 'reopen',
  reason: reason ?? 'reopened by hand',
}));

export const taskRetry = ending(retryTask, (reason) => ({
  type: 'retry',
  reason: reason ?? 'retried by hand',
}));

export const taskSkip = ending(skipTask, (reason) => ({
  type: 'skip',
  reason: reason ?? 'skipped by hand',
}));

type Ending = typeof closeTask;

function ending(
  route: Ending & AnyRoute,
  commandOf: (reason: string | undefined) => TaskCommand,
): Handler {
  return writes(route, async ({ params, body }, tx) => {
    const found = await findTask(tx.db, params.id);
    if (!found.ok) return found;
    const task = found.value;
    const command = commandOf(body.reason);
    const open = command.type === 'close' ? await openBelow(tx.db, task) : [];
    if (open.length > 0)
      return refused(
        'open_children',
        `${task.id} has open children: ${open.slice(0, 5).join(', ')}${open.length > 5 ? ' …' : ''}.`,
        'Close or skip them first; the epic then closes by itself.',
      );
    const decision = decideTask(task, command);
    if (!decision.ok) return err(taskProblem(task.id, decision.error));
    await tx.record(taskAggregate, task.id, decision.value);
    await rollUp(tx, task.id);
    if (command.type === 'reopen') await reopenConvoy(tx, task.id);
    return ok({ task: await showOne(tx.db, task.id) });
  });
}

/** A convoy that had landed or closed has work again. */
async function reopenConvoy(tx: Tx, task: string): Promise<void> {
  const id = (await convoyOfTasks(tx.db, [task])).get(task);
  const stored = id === undefined ? null : await tx.load(convoyAggregate, id);
  const decision = stored === null ? null : decideConvoy(stored.state, { type: 'reopen' });
  if (decision?.ok === true && id !== undefined)
    await tx.record(convoyAggregate, id, decision.value);
}

async function openBelow(db: Parameters<typeof findTask>[0], task: Task): Promise<string[]> {
  const rows = await db
    .selectFrom('task')
    .select('id')
    .where('parent', '=', task.id)
    .where('status', 'not in', ['merged', 'closed', 'skipped', 'cancelled'])
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
