import type { TaskId } from '../work/ids.ts';
import { isDispatchable } from '../work/task.ts';
import { endOf, isOver, openOrder, startOf } from './open-order.ts';
import type { Order } from './open-order.ts';
import { walkOrder } from './walk-order.ts';
import type { GraphTask, WorkGraph } from './work-graph.ts';

export const DEFAULT_MINUTES = 30;

export type CriticalPath = { readonly path: readonly TaskId[]; readonly minutes: number };

/** The chain of open members that takes longest; what is done weighs nothing. */
export function criticalPath(graph: WorkGraph, members: ReadonlySet<TaskId>): CriticalPath {
  const order = openOrder(graph);
  const minutes = minutesLeft(order, members);
  const walk = walkOrder(order, { weight: (task) => minutes[task] ?? 0, holds: () => 0 });
  let last = -1;
  for (let task = 0; task < order.tasks.length; task += 1) {
    if (minutes[task] === null) continue;
    const end = endOf(task);
    if (last === -1 || walk.reached[end]! > walk.reached[last]!) last = end;
  }
  if (last === -1 || walk.reached[last] === -1) return { path: [], minutes: 0 };
  const path: TaskId[] = [];
  for (let node = last; node !== -1; node = walk.after[node]!) {
    const task = node >> 1;
    const isWork = node === endOf(task) && walk.after[node] === startOf(task);
    if (isWork && (minutes[task] ?? null) !== null) path.push(order.tasks[task]!.id);
  }
  return { path: path.toReversed(), minutes: walk.reached[last]! };
}

/** How much a task weighs; minutes as its owner guessed them, unless said otherwise. */
type Weigh = (task: GraphTask) => number;

const guessed: Weigh = ({ estimateMinutes }) => estimateMinutes ?? DEFAULT_MINUTES;

/**
 * For each open member the weight from its start to the end of the longest chain behind it.
 *
 * A task on a cycle counts only itself; whoever waits for the first of several is counted as if
 * it waited for each.
 */
export function remainingPath(
  graph: WorkGraph,
  members: ReadonlySet<TaskId>,
  weigh: Weigh = guessed,
): Map<TaskId, number> {
  const order = openOrder(graph);
  const { arcs, sequence, firstChoice } = order;
  const minutes = minutesLeft(order, members, weigh);
  const behind = new Float64Array(arcs.size);
  for (const node of sequence.toReversed()) {
    let longest = 0;
    for (let arc = arcs.offsets[node]!; arc < arcs.offsets[node + 1]!; arc += 1) {
      const target = arcs.targets[arc]!;
      const isOwn = target === node + 1 && node % 2 === 0 && node < firstChoice;
      longest = Math.max(longest, behind[target]! + (isOwn ? (minutes[node >> 1] ?? 0) : 0));
    }
    behind[node] = longest;
  }
  const found = new Map<TaskId, number>();
  for (let task = 0; task < order.tasks.length; task += 1) {
    const own = minutes[task] ?? null;
    if (own !== null) found.set(order.tasks[task]!.id, Math.max(own, behind[startOf(task)]!));
  }
  return found;
}

/** Null for whatever is not open work of the set. */
function minutesLeft(
  order: Order,
  members: ReadonlySet<TaskId>,
  weigh: Weigh = guessed,
): (number | null)[] {
  return order.tasks.map((task) =>
    isDispatchable(task.type) && !isOver(task.status) && members.has(task.id) ? weigh(task) : null,
  );
}
