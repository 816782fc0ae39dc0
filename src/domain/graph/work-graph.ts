import type { Dependency } from '../work/dependency.ts';
import type { TaskId } from '../work/ids.ts';
import type { TaskCore, TaskStatus } from '../work/task.ts';
import { naturalOrder } from './natural-order.ts';

/** The part of a task that order and readiness look at; every `Task` is one. */
export type GraphTask = Pick<
  TaskCore,
  | 'id'
  | 'type'
  | 'parent'
  | 'repo'
  | 'priority'
  | 'createdAt'
  | 'estimateMinutes'
  | 'title'
  | 'dependencies'
> & { readonly status: TaskStatus };

/** An edge seen from its target. */
export type Dependent = { readonly task: TaskId; readonly dependency: Dependency };

export type WorkGraph = {
  readonly tasks: ReadonlyMap<TaskId, GraphTask>;
  /** Sorted by age, then by id. */
  readonly children: ReadonlyMap<TaskId, readonly TaskId[]>;
  /** Edges of every kind, also to tasks that are not in the graph. */
  readonly dependents: ReadonlyMap<TaskId, readonly Dependent[]>;
};

/** Indexes tasks; of two with the same id the later one counts. */
export function workGraph(given: Iterable<GraphTask>): WorkGraph {
  const tasks = new Map<TaskId, GraphTask>();
  for (const task of given) tasks.set(task.id, task);
  const byParent = new Map<TaskId, GraphTask[]>();
  const dependents = new Map<TaskId, Dependent[]>();
  for (const task of tasks.values()) {
    if (task.parent !== null) push(byParent, task.parent, task);
    for (const dependency of task.dependencies) {
      push(dependents, dependency.on, { task: task.id, dependency });
    }
  }
  const children = new Map<TaskId, TaskId[]>();
  for (const [parent, found] of byParent) {
    children.set(
      parent,
      found.toSorted(byAge).map((child) => child.id),
    );
  }
  return { tasks, children, dependents };
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

const byAge = (a: GraphTask, b: GraphTask): number =>
  a.createdAt - b.createdAt || naturalOrder(a.id, b.id);

export const childrenOf = (graph: WorkGraph, id: TaskId): readonly TaskId[] =>
  graph.children.get(id) ?? [];

/** Parent, grandparent and so on, nearest first; stops where a chain bites its own tail. */
export function ancestorsOf(graph: WorkGraph, id: TaskId): TaskId[] {
  const found = new Set<TaskId>();
  let next = graph.tasks.get(id)?.parent ?? null;
  while (next !== null && next !== id && !found.has(next) && graph.tasks.has(next)) {
    found.add(next);
    next = graph.tasks.get(next)?.parent ?? null;
  }
  return [...found];
}

/** Everything below a task, parents before their children. */
export function descendantsOf(graph: WorkGraph, id: TaskId): TaskId[] {
  const found = new Set<TaskId>([id]);
  for (const each of found) for (const child of childrenOf(graph, each)) found.add(child);
  found.delete(id);
  return [...found];
}
