import { isOrdering } from '../work/dependency.ts';
import type { TaskId } from '../work/ids.ts';
import { waitPath } from './waits.ts';
import { childrenOf } from './work-graph.ts';
import type { WorkGraph } from './work-graph.ts';

export type InferredBlock = { readonly task: TaskId; readonly on: TaskId };

/**
 * Puts the sub-epics that nobody ordered into the order in which they were created.
 *
 * A sub-epic with an ordering edge to or from a sibling is left as it is, and so is a pair that
 * the tasks below already order the other way round.
 */
export function inferBlocks(graph: WorkGraph, epic: TaskId): InferredBlock[] {
  const siblings = childrenOf(graph, epic).filter((id) => isLiveEpic(graph, id));
  const ordered = orderedAmong(graph, new Set(siblings));
  const inferred: InferredBlock[] = [];
  const proposed = new Map<TaskId, TaskId[]>();
  let before: TaskId | null = null;
  for (const task of siblings) {
    if (ordered.has(task)) continue;
    if (before !== null && !waitPath(graph, before, task, proposed)) {
      inferred.push({ task, on: before });
      proposed.set(task, [before]);
    }
    before = task;
  }
  return inferred;
}

function isLiveEpic(graph: WorkGraph, id: TaskId): boolean {
  const task = graph.tasks.get(id);
  return task?.type === 'epic' && task.status !== 'cancelled';
}

function orderedAmong(graph: WorkGraph, siblings: ReadonlySet<TaskId>): Set<TaskId> {
  const ordered = new Set<TaskId>();
  for (const id of siblings) {
    for (const { on, kind } of graph.tasks.get(id)?.dependencies ?? []) {
      if (!isOrdering(kind) || !siblings.has(on)) continue;
      ordered.add(id);
      ordered.add(on);
    }
  }
  return ordered;
}
