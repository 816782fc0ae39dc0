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
      const to = epicRollup(graph, epic.id, () => !epic.ownBranch);
      const decision = decideTask(epic, { type: 'roll-up', to });
      if (decision.ok) await tx.record(taskAggregate, epic.id, decision.value);
    }
    [below] = await graphTasks(tx.db, [epic.id]);
  }
}
