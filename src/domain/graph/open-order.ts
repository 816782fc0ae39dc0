import { edgeState } from '../work/blockers.ts';
import type { BlockerState } from '../work/blockers.ts';
import { isOrdering } from '../work/dependency.ts';
import type { Dependency, OrderingKind } from '../work/dependency.ts';
import type { TaskId } from '../work/ids.ts';
import { isDone } from '../work/task.ts';
import type { TaskStatus } from '../work/task.ts';
import { packArcs, topological } from './arcs.ts';
import type { Arcs } from './arcs.ts';
import { childrenOf } from './work-graph.ts';
import type { GraphTask, WorkGraph } from './work-graph.ts';

/**
 * The order of the work as nodes and arcs, each arc pointing from earlier to later.
 *
 * Task `n` starts at node `2n` and ends at `2n + 1`, so that an epic that waits for an epic is
 * one arc and never a pair of tasks for each pair of tasks below. From `firstChoice` on follow
 * nodes that stand for "one of the children has ended".
 */
export type Order = {
  readonly tasks: readonly GraphTask[];
  readonly numbers: ReadonlyMap<TaskId, number>;
  readonly arcs: Arcs;
  readonly firstChoice: number;
  /** Nodes in order; those on or behind a cycle are not among them. */
  readonly sequence: Int32Array;
  /** Tasks with an edge of their own that no progress of other work will satisfy. */
  readonly stuck: ReadonlySet<number>;
};

export const startOf = (task: number): number => 2 * task;
export const endOf = (task: number): number => 2 * task + 1;

/** Nobody waits for such a task any more, whatever it waits for itself. */
export const isOver = (status: TaskStatus): boolean =>
  isDone(status) || status === 'skipped' || status === 'cancelled';

/** The order in which what is left can happen. */
export const openOrder = (graph: WorkGraph): Order => order(graph, true);

/** The order as it was planned, whatever has happened since. */
export const plannedOrder = (graph: WorkGraph): Order => order(graph, false);

function order(graph: WorkGraph, heedStatus: boolean): Order {
  const tasks = [...graph.tasks.values()];
  const drawing: Drawing = {
    graph,
    heedStatus,
    tasks,
    numbers: new Map(tasks.map((task, number) => [task.id, number])),
    from: [],
    to: [],
    choices: new Map(),
    waitsFor: new Map(),
    stuck: new Set(),
  };
  for (let number = 0; number < tasks.length; number += 1) drawTask(drawing, number);
  const arcs = packArcs(2 * tasks.length + drawing.choices.size, drawing);
  return {
    tasks,
    numbers: drawing.numbers,
    arcs,
    firstChoice: 2 * tasks.length,
    sequence: topological(arcs),
    stuck: drawing.stuck,
  };
}

type Drawing = {
  readonly graph: WorkGraph;
  readonly heedStatus: boolean;
  readonly tasks: readonly GraphTask[];
  readonly numbers: ReadonlyMap<TaskId, number>;
  readonly from: number[];
  readonly to: number[];
  readonly choices: Map<TaskId, number>;
  /** A thousand tasks may wait for the same thousand children: count those once. */
  readonly waitsFor: Map<string, BlockerState>;
  readonly stuck: Set<number>;
};

function drawTask(drawing: Drawing, number: number): void {
  const task = drawing.tasks[number]!;
  if (!isEnded(drawing, task)) arc(drawing, startOf(number), endOf(number));
  const parent = task.parent === null ? undefined : drawing.numbers.get(task.parent);
  if (parent !== undefined) {
    arc(drawing, startOf(parent), startOf(number));
    if (!isEnded(drawing, drawing.tasks[parent]!)) arc(drawing, endOf(number), endOf(parent));
  }
  for (const edge of task.dependencies) {
    if (isOrdering(edge.kind)) drawEdge(drawing, number, edge, edge.kind);
  }
}

const isEnded = ({ heedStatus }: Drawing, task: GraphTask): boolean =>
  heedStatus && isOver(task.status);

function drawEdge(drawing: Drawing, number: number, edge: Dependency, kind: OrderingKind): void {
  const target = drawing.numbers.get(edge.on);
  const state = stateOf(drawing, edge, kind);
  if (state === 'satisfied' || state === 'skip') return;
  if (target === undefined || state === 'cancelled' || isEnded(drawing, drawing.tasks[target]!)) {
    if (drawing.heedStatus) drawing.stuck.add(number);
    return;
  }
  const choice = kind === 'waits-for' && edge.children === 'any';
  arc(drawing, choice ? choiceOf(drawing, target) : endOf(target), startOf(number));
}

function stateOf(drawing: Drawing, edge: Dependency, kind: OrderingKind): BlockerState {
  if (!drawing.heedStatus) return 'waiting';
  if (kind !== 'waits-for') return edgeState(drawing.graph, edge, kind);
  const key = `${edge.children ?? 'all'} ${edge.on}`;
  const known = drawing.waitsFor.get(key);
  if (known !== undefined) return known;
  const state = edgeState(drawing.graph, edge, kind);
  drawing.waitsFor.set(key, state);
  return state;
}

/** The node of "one of its children has ended", drawn when it is first asked for. */
function choiceOf(drawing: Drawing, target: number): number {
  const { id } = drawing.tasks[target]!;
  const known = drawing.choices.get(id);
  if (known !== undefined) return known;
  const children = childrenOf(drawing.graph, id)
    .map((child) => drawing.numbers.get(child)!)
    .filter((child) => !isEnded(drawing, drawing.tasks[child]!));
  if (children.length === 0) return endOf(target);
  const node = 2 * drawing.tasks.length + drawing.choices.size;
  drawing.choices.set(id, node);
  for (const child of children) arc(drawing, endOf(child), node);
  return node;
}

function arc({ from, to }: Drawing, earlier: number, later: number): void {
  from.push(earlier);
  to.push(later);
}
