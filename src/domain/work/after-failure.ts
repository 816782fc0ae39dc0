import { childrenOf, type GraphTask, type WorkGraph } from '../graph/work-graph.ts';
import { type Blocker, blockersOf } from './blockers.ts';
import type { TaskId } from './ids.ts';

/** Whether work behind a failed task waits for a person, or goes on without it. */
export type AfterFailure = 'hold' | 'continue';

const OVER: ReadonlySet<string> = new Set(['merged', 'closed', 'skipped', 'cancelled', 'failed']);

/** Under `continue` a blocker that failed lets go, once nothing of it is still to come. */
export function goesOnAfter(graph: WorkGraph, { on, kind }: Blocker): boolean {
  // Such a task waits for the failure itself.
  if (kind === 'conditional-blocks') return false;
  const parts = partsOf(graph, on);
  return (
    parts.some(({ status }) => status === 'failed') && parts.every(({ status }) => OVER.has(status))
  );
}

/** The failed blockers that a task does not wait for, because its convoy goes on after failures. */
export const passedOver = (graph: WorkGraph, id: TaskId): TaskId[] => [
  ...new Set(
    blockersOf(graph, id).flatMap((blocker) =>
      blocker.state !== 'satisfied' && goesOnAfter(graph, blocker) ? [blocker.on] : [],
    ),
  ),
];

/** The tasks below one, or itself when there are none. */
function partsOf(graph: WorkGraph, id: TaskId): GraphTask[] {
  const children = childrenOf(graph, id);
  if (children.length > 0) return children.flatMap((child) => partsOf(graph, child));
  const task = graph.tasks.get(id);
  return task === undefined ? [] : [task];
}
