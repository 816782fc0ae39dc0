import { blockersOf } from '../work/blockers.ts';
import type { TaskId } from '../work/ids.ts';
import { isDispatchable } from '../work/task.ts';
import { naturalOrder } from './natural-order.ts';
import { endOf, isOver, openOrder, plannedOrder, startOf } from './open-order.ts';
import type { Order } from './open-order.ts';
import { GATED, OUTSIDE, startsAt, walkOrder } from './walk-order.ts';
import type { Walk } from './walk-order.ts';
import { childrenOf } from './work-graph.ts';
import type { GraphTask, WorkGraph } from './work-graph.ts';

/**
 * When each open task of a set can have its turn if all goes well.
 *
 * A task is in a wave, or it is held and then in `gated`, in `outside` or in both, or it is in
 * `cyclic`. What waits for a held task is held the same way, with an empty list of its own.
 */
export type Waves = {
  readonly waves: readonly (readonly TaskId[])[];
  /** A decision, a milestone or an epic without children must be closed by a person first. */
  readonly gated: readonly { readonly id: TaskId; readonly gatedBy: readonly TaskId[] }[];
  /** A blocker is open outside the set, cancelled, unknown, or closed without a merge it needed. */
  readonly outside: readonly { readonly id: TaskId; readonly blockedBy: readonly TaskId[] }[];
  /** On a cycle or behind one. */
  readonly cyclic: readonly TaskId[];
};

export function waves(graph: WorkGraph, members: ReadonlySet<TaskId>): Waves {
  const order = openOrder(graph);
  const isMember = order.tasks.map((task) => isOpenWork(task) && members.has(task.id));
  const walk = walkOrder(order, {
    weight: (task) => (isMember[task] ? 1 : 0),
    holds: (node) => heldBy(graph, order, isMember, node),
  });
  const found = {
    waves: [] as TaskId[][],
    gated: [] as { id: TaskId; gatedBy: TaskId[] }[],
    outside: [] as { id: TaskId; blockedBy: TaskId[] }[],
    cyclic: [] as TaskId[],
  };
  for (let task = 0; task < order.tasks.length; task += 1) {
    if (!isMember[task]) continue;
    const { id } = order.tasks[task]!;
    const wave = startsAt(walk, task);
    const held = walk.held[startOf(task)]!;
    if (wave === -1) found.cyclic.push(id);
    else if (held === 0) (found.waves[wave] ??= []).push(id);
    if (wave === -1) continue;
    if (held & GATED) found.gated.push({ id, gatedBy: gatesOf(graph, id) });
    if (held & OUTSIDE) {
      found.outside.push({ id, blockedBy: outsidersOf(graph, { order, walk, isMember }, id) });
    }
  }
  return {
    waves: found.waves.map((wave) => wave.toSorted(naturalOrder)),
    gated: found.gated.toSorted(byId),
    outside: found.outside.toSorted(byId),
    cyclic: found.cyclic.toSorted(naturalOrder),
  };
}

const isOpenWork = ({ type, status }: GraphTask): boolean =>
  isDispatchable(type) && !isOver(status);

const byId = (a: { readonly id: TaskId }, b: { readonly id: TaskId }): number =>
  naturalOrder(a.id, b.id);

function heldBy(
  graph: WorkGraph,
  order: Order,
  isMember: readonly boolean[],
  node: number,
): number {
  if (node >= order.firstChoice) return 0;
  const number = node >> 1;
  if (node === startOf(number)) return order.stuck.has(number) ? OUTSIDE : 0;
  const task = order.tasks[number]!;
  if (isGate(graph, task)) return GATED;
  return isOpenWork(task) && !isMember[number] ? OUTSIDE : 0;
}

/** An epic closes by itself only if it has children. */
function isGate(graph: WorkGraph, { id, type, status }: GraphTask): boolean {
  if (isOver(status)) return false;
  return type === 'epic' ? childrenOf(graph, id).length === 0 : !isDispatchable(type);
}

function gatesOf(graph: WorkGraph, id: TaskId): TaskId[] {
  const gates = new Set<TaskId>();
  for (const { on, state } of blockersOf(graph, id)) {
    const task = graph.tasks.get(on);
    const isChildless = state === 'waiting' && task !== undefined && isGate(graph, task);
    if (state === 'gate' || isChildless) gates.add(on);
  }
  return [...gates].toSorted(naturalOrder);
}

type Found = {
  readonly order: Order;
  readonly walk: Walk;
  readonly isMember: readonly boolean[];
};

/** A member that is held itself is not named: its own entry says why. */
function outsidersOf(graph: WorkGraph, { order, walk, isMember }: Found, id: TaskId): TaskId[] {
  const named = new Set<TaskId>();
  for (const { on, state } of blockersOf(graph, id)) {
    if (state === 'satisfied' || state === 'skip') continue;
    const number = order.numbers.get(on);
    if (number === undefined || isOver(order.tasks[number]!.status)) named.add(on);
    else if (state === 'cancelled') named.add(on);
    else if (!isMember[number] && walk.held[endOf(number)]! & OUTSIDE) named.add(on);
  }
  return [...named].toSorted(naturalOrder);
}

/**
 * The wave of each dispatchable member as planned, counted from 1, whatever its status is now.
 *
 * Tasks on or behind a cycle have none.
 */
export function layers(graph: WorkGraph, members: ReadonlySet<TaskId>): Map<TaskId, number> {
  const order = plannedOrder(graph);
  const isMember = order.tasks.map((task) => isDispatchable(task.type) && members.has(task.id));
  const walk = walkOrder(order, { weight: (task) => (isMember[task] ? 1 : 0), holds: () => 0 });
  const found = new Map<TaskId, number>();
  for (let task = 0; task < order.tasks.length; task += 1) {
    const before = startsAt(walk, task);
    if (isMember[task] && before >= 0) found.set(order.tasks[task]!.id, before + 1);
  }
  return found;
}
