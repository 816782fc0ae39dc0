import { childrenOf, descendantsOf } from '../graph/work-graph.ts';
import type { WorkGraph } from '../graph/work-graph.ts';
import type { TaskId } from './ids.ts';
import { isDone } from './task.ts';
import type { TaskStatus } from './task.ts';

export type EpicStatus = 'open' | 'in_progress' | 'closed';

/**
 * The status that an epic earns from what lies below it.
 *
 * `landed` answers for the epic's own integration branch, and true where it has none. Only direct
 * children decide about the end, so a root closes in a later pass than its sub-epics, and last.
 */
export function epicRollup(
  graph: WorkGraph,
  epic: TaskId,
  landed: (id: TaskId) => boolean,
): EpicStatus {
  const children = childrenOf(graph, epic).map((id) => statusOf(graph, id));
  const isOver = children.every((status) => isSettled(status) || status === 'cancelled');
  if (isOver && children.some(isSettled) && landed(epic)) return 'closed';
  const hasStarted =
    statusOf(graph, epic) === 'in_progress' ||
    descendantsOf(graph, epic).some((id) => STARTED.includes(statusOf(graph, id)));
  return hasStarted ? 'in_progress' : 'open';
}

const STARTED: readonly TaskStatus[] = ['in_progress', 'submitted', 'merged', 'closed', 'failed'];

const isSettled = (status: TaskStatus): boolean => isDone(status) || status === 'skipped';

const statusOf = (graph: WorkGraph, id: TaskId): TaskStatus =>
  graph.tasks.get(id)?.status ?? 'open';
