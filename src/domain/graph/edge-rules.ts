import { HIERARCHY_KIND, LONGEST_KIND, isOrdering } from '../work/dependency.ts';
import type { Dependency } from '../work/dependency.ts';
import type { TaskId } from '../work/ids.ts';
import { waitPath } from './waits.ts';
import { ancestorsOf } from './work-graph.ts';
import type { WorkGraph } from './work-graph.ts';

/** Why an edge may not be written. */
export type EdgeRefusal =
  | { readonly reason: 'kind-empty' }
  | { readonly reason: 'kind-too-long'; readonly kind: string; readonly longest: number }
  | { readonly reason: 'kind-malformed'; readonly kind: string }
  | { readonly reason: 'kind-is-hierarchy'; readonly kind: string }
  | { readonly reason: 'level-not-allowed'; readonly kind: string }
  | { readonly reason: 'children-not-allowed'; readonly kind: string }
  | { readonly reason: 'self'; readonly id: TaskId }
  | { readonly reason: 'missing'; readonly id: TaskId }
  | { readonly reason: 'ancestor-blocks'; readonly ancestor: TaskId; readonly descendant: TaskId }
  | { readonly reason: 'descendant-blocks'; readonly ancestor: TaskId; readonly descendant: TaskId }
  | { readonly reason: 'duplicate'; readonly on: TaskId; readonly kind: string }
  | { readonly reason: 'cycle'; readonly path: readonly TaskId[] };

/** Says whether `task` may depend on `dependency.on`; the graph does not hold this edge yet. */
export const checkEdge = (
  graph: WorkGraph,
  task: TaskId,
  dependency: Dependency,
): EdgeRefusal | null =>
  checkWords(dependency) ??
  checkEnds(graph, task, dependency) ??
  (isOrdering(dependency.kind) ? checkOrder(graph, task, dependency.on) : null);

const KIND = /^[a-z0-9_-]+$/;

function checkWords({ kind, level, children }: Dependency): EdgeRefusal | null {
  if (kind === '') return { reason: 'kind-empty' };
  if (kind.length > LONGEST_KIND) {
    return { reason: 'kind-too-long', kind, longest: LONGEST_KIND };
  }
  if (!KIND.test(kind)) return { reason: 'kind-malformed', kind };
  if (kind === HIERARCHY_KIND) return { reason: 'kind-is-hierarchy', kind };
  if (level !== undefined && kind !== 'blocks') return { reason: 'level-not-allowed', kind };
  if (children !== undefined && kind !== 'waits-for') {
    return { reason: 'children-not-allowed', kind };
  }
  return null;
}

function checkEnds(graph: WorkGraph, id: TaskId, { on, kind }: Dependency): EdgeRefusal | null {
  if (on === id) return { reason: 'self', id };
  const task = graph.tasks.get(id);
  if (!task) return { reason: 'missing', id };
  if (!graph.tasks.has(on)) return { reason: 'missing', id: on };
  return task.dependencies.some((edge) => edge.on === on && edge.kind === kind)
    ? { reason: 'duplicate', on, kind }
    : null;
}

function checkOrder(graph: WorkGraph, task: TaskId, on: TaskId): EdgeRefusal | null {
  if (ancestorsOf(graph, task).includes(on)) {
    return { reason: 'ancestor-blocks', ancestor: on, descendant: task };
  }
  if (ancestorsOf(graph, on).includes(task)) {
    return { reason: 'descendant-blocks', ancestor: task, descendant: on };
  }
  const back = waitPath(graph, on, task);
  return back ? { reason: 'cycle', path: [task, ...back.slice(0, -1)] } : null;
}
