import { workGraph } from '../domain/graph/work-graph.ts';
import { decideTask } from '../domain/work/decide.ts';
import { epicRollup } from '../domain/work/rollup.ts';
import { taskAggregate } from './aggregates/task.ts';
import { graphTasks, graphTree } from './queries/graph-tasks.ts';
import type { Tx } from './transaction.ts';

/** Lets every epic above a task follow what happened below it, the nearest first. */
export async function rollUp(tx: Tx, task: string): Promise<void> {
  let [below] = await graphTasks(tx.db, [task]);
  while (below !== undefined && below.parent !== null) {
    const stored = await tx.load(taskAggregate, below.parent);
    if (stored === null) return;
    const epic = stored.state;
    if (epic.type === 'epic') {
      const graph = workGraph(await graphTree(tx.db, [epic.id], null));
      const landed = !epic.ownBranch || (await hasLanded(tx, epic.id));
      const to = epicRollup(graph, epic.id, () => landed);
      const decision = decideTask(epic, { type: 'roll-up', to });
      if (decision.ok) await tx.record(taskAggregate, epic.id, decision.value);
    }
    [below] = await graphTasks(tx.db, [epic.id]);
  }
}

/** Whether the branch of a sub-epic is in the branch above it, as far as it was merged. */
async function hasLanded(tx: Tx, epic: string): Promise<boolean> {
  const rows = await tx.db.selectFrom('change').select('status').where('task', '=', epic).execute();
  return (
    rows.some(({ status }) => status === 'merged') && !rows.some(({ status }) => OPEN.has(status))
  );
}

const OPEN = new Set(['queued', 'verifying', 'waiting_push']);
