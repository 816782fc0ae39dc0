import { addToConvoy, removeFromConvoy } from '../../contract/routes/convoys.ts';
import { waves } from '../../domain/graph/waves.ts';
import { type WorkGraph, workGraph } from '../../domain/graph/work-graph.ts';
import { decideTask } from '../../domain/work/decide.ts';
import { isOrdering } from '../../domain/work/dependency.ts';
import type { TaskId } from '../../domain/work/ids.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { changesOf } from '../../ledger/queries/changes.ts';
import { convoyMembers } from '../../ledger/queries/convoy-members.ts';
import { graphAround } from '../../ledger/queries/graph-around.ts';
import { graphTasks } from '../../ledger/queries/graph-tasks.ts';
import { rollUp } from '../../ledger/roll-up.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { withdrawChanges } from '../../ledger/withdraw.ts';
import { ok } from '../../lib/result.ts';
import { writes } from '../context.ts';
import { findConvoy, findTask } from '../find.ts';
import { convoyView } from '../view/convoy-view.ts';
import { dispatchable, notHeld } from './convoy-create.ts';
import { moveConvoy } from './convoy-moves.ts';

/** Adds tasks; a convoy that had landed or closed opens again. */
export const convoyAdd = writes(addToConvoy, async ({ params, body }, tx) => {
  await tx.alone('graph');
  const found = await findConvoy(tx.db, params.id);
  if (!found.ok) return found;
  const members = await dispatchable(tx.db, body.tasks);
  if (!members.ok) return members;
  const free = await notHeld(tx.db, members.value, found.value.id);
  if (!free.ok) return free;
  const known = new Set<string>(await convoyMembers(tx.db, found.value.id));
  const added = members.value.filter((id) => !known.has(id));
  const moved = await moveConvoy(tx, found.value, { type: 'track', tasks: added });
  if (added.length > 0) await withdrawLandings(tx, found.value.id);
  return moved.ok ? ok({ convoy: await convoyView(tx.db, moved.value), added }) : moved;
});

/** Descopes tasks. What becomes free by it is named; a dry run only names it. */
export const convoyRemove = writes(removeFromConvoy, async ({ params, body }, tx) => {
  const found = await findConvoy(tx.db, params.id);
  if (!found.ok) return found;
  const convoy = found.value;
  const members = await convoyMembers(tx.db, convoy.id);
  const named: TaskId[] = [];
  for (const id of body.tasks) {
    const task = await findTask(tx.db, id);
    if (!task.ok) return task;
    named.push(task.value.id);
  }
  const removed = named.filter((id) => members.includes(id));
  const untracked = named.filter((id) => !members.includes(id));
  const graph = await graphAround(tx.db, await graphTasks(tx.db, members));
  const cut = edgesOnto(graph, members, new Set(removed));
  const released = releasedBy(graph, members, new Set(removed));
  if (body.dry_run)
    return ok({ convoy: await convoyView(tx.db, convoy), removed, untracked, released });
  for (const { task, on, kind } of cut)
    await tx.record(taskAggregate, task, [{ type: 'dependency-removed', on, kind }]);
  const moved = await moveConvoy(tx, convoy, { type: 'untrack', tasks: removed });
  if (!moved.ok) return moved;
  for (const id of removed) await letGo(tx, convoy.id, id);
  return ok({ convoy: await convoyView(tx.db, moved.value), removed, untracked, released });
});

/** The convoy's own landing would land without what was just added. */
async function withdrawLandings(tx: Tx, convoy: string): Promise<void> {
  const landings = (await changesOf(tx.db, convoy)).filter(({ landing }) => landing === true);
  await withdrawChanges(tx, landings, 'more work was added');
}

/** What was being done for the convoy stops: the task is open again, and its change leaves the queue. */
async function letGo(tx: Tx, convoy: string, id: TaskId): Promise<void> {
  const reason = `it was removed from ${convoy}`;
  await withdrawChanges(tx, await changesOf(tx.db, id), reason);
  const stored = await tx.load(taskAggregate, id);
  if (stored === null) return;
  const task = stored.state;
  if (task.status !== 'in_progress' && task.status !== 'submitted') return;
  if (task.attempt === null) return;
  const decision = decideTask(
    task,
    task.status === 'submitted'
      ? { type: 'rework', change: task.change, reason }
      : { type: 'give-back', attempt: task.attempt, reason, retryAt: null, uncounted: true },
  );
  if (!decision.ok) return;
  await tx.record(taskAggregate, id, decision.value);
  await rollUp(tx, id);
}

/** What stays must not wait for what left: those edges go with it. */
function edgesOnto(
  graph: WorkGraph,
  members: readonly TaskId[],
  removed: ReadonlySet<TaskId>,
): { task: TaskId; on: TaskId; kind: string }[] {
  return members
    .filter((id) => !removed.has(id))
    .flatMap((task) =>
      (graph.tasks.get(task)?.dependencies ?? [])
        .filter(({ on, kind }) => removed.has(on) && isOrdering(kind))
        .map(({ on, kind }) => ({ task, on, kind })),
    );
}

/** Tasks that are in the first wave without the removed ones and were not before. */
function releasedBy(
  graph: WorkGraph,
  members: readonly TaskId[],
  removed: ReadonlySet<TaskId>,
): TaskId[] {
  const before = new Set(waves(graph, new Set(members)).waves[0]);
  const left = members.filter((id) => !removed.has(id));
  const without = workGraph(
    [...graph.tasks.values()].map((task) => ({
      ...task,
      dependencies: task.dependencies.filter(({ on }) => !removed.has(on)),
    })),
  );
  return (waves(without, new Set(left)).waves[0] ?? []).filter((id) => !before.has(id));
}
