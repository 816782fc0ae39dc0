import { addDependency, removeDependency } from '../../contract/routes/tasks.ts';
import { decideTask } from '../../domain/work/decide.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { err, ok } from '../../lib/result.ts';
import { writes } from '../context.ts';
import { findTask } from '../find.ts';
import { taskProblem } from '../problems.ts';
import { link } from './task-create.ts';
import { showOne } from './task-show.ts';

/** Lets a task wait for another. */
export const dependencyAdd = writes(addDependency, async ({ params, body }, tx) => {
  await tx.alone('graph');
  const task = await findTask(tx.db, params.id);
  if (!task.ok) return task;
  const target = await findTask(tx.db, body.on);
  if (!target.ok) return target;
  const { kind, level, children } = body;
  const linked = await link(tx, task.value, [
    {
      on: target.value.id,
      kind,
      ...(level === undefined ? {} : { level }),
      ...(children === undefined ? {} : { children }),
    },
  ]);
  return linked.ok ? ok({ task: await showOne(tx.db, task.value.id) }) : linked;
});

/** Takes an edge away; without a kind, every edge between the two. */
export const dependencyRemove = writes(removeDependency, async ({ params, query }, tx) => {
  const task = await findTask(tx.db, params.id);
  if (!task.ok) return task;
  const target = await findTask(tx.db, params.on);
  if (!target.ok) return target;
  const decision = decideTask(task.value, {
    type: 'remove-dependency',
    on: target.value.id,
    kind: query.kind ?? null,
  });
  if (!decision.ok) return err(taskProblem(task.value.id, decision.error));
  await tx.record(taskAggregate, task.value.id, decision.value);
  return ok({ task: await showOne(tx.db, task.value.id) });
});
