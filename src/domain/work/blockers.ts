import { ancestorsOf, childrenOf } from '../graph/work-graph.ts';
import type { GraphTask, WorkGraph } from '../graph/work-graph.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { isOrdering } from './dependency.ts';
import type { Dependency, Level, OrderingKind } from './dependency.ts';
import type { TaskId } from './ids.ts';
import { isDispatchable, isDone } from './task.ts';
import type { TaskStatus } from './task.ts';

/**
 * satisfied   lets go
 * waiting     will let go when the blocker gets there
 * failed      the blocker failed and holds everything behind it
 * cancelled   the blocker will never get there
 * gate        a decision or milestone that a person closes
 * skip        the condition did not come true: the dependent is not needed
 * unknown     the blocker is not in the graph, so nobody can say
 */
export type BlockerState =
  | 'satisfied'
  | 'waiting'
  | 'failed'
  | 'cancelled'
  | 'gate'
  | 'skip'
  | 'unknown';

export type Blocker = {
  readonly on: TaskId;
  readonly kind: OrderingKind;
  /** How far the blocker must get; only `blocks` lets a task say so. */
  readonly level: Level;
  /** The ancestor that the edge is inherited from. */
  readonly via: TaskId | null;
  readonly state: BlockerState;
};

/** What a task waits or waited for: its own edges first, then those of each ancestor. */
export function blockersOf(graph: WorkGraph, id: TaskId): Blocker[] {
  const own = graph.tasks.get(id);
  if (!own) return [];
  const found = edgesOf(graph, own, null);
  for (const ancestor of ancestorsOf(graph, id)) {
    const task = graph.tasks.get(ancestor);
    if (task) found.push(...edgesOf(graph, task, ancestor));
  }
  return found;
}

function edgesOf(graph: WorkGraph, task: GraphTask, via: TaskId | null): Blocker[] {
  return task.dependencies.flatMap((edge) =>
    isOrdering(edge.kind)
      ? [
          {
            on: edge.on,
            kind: edge.kind,
            level: edge.kind === 'blocks' ? (edge.level ?? 'merged') : 'merged',
            via,
            state: edgeState(graph, edge, edge.kind),
          },
        ]
      : [],
  );
}

/** How an ordering edge stands now. */
export function edgeState(graph: WorkGraph, edge: Dependency, kind: OrderingKind): BlockerState {
  const target = graph.tasks.get(edge.on);
  if (!target) return 'unknown';
  switch (kind) {
    case 'blocks':
      return reached(target.status, edge.level) ? 'satisfied' : standing(target);
    case 'merge-blocks':
      return landed(target) ? 'satisfied' : standing(target);
    case 'conditional-blocks':
      return condition(target);
    case 'waits-for':
      return childrenState(graph, target, edge.children ?? 'all');
    default:
      return unreachable(kind);
  }
}

const isSettled = (status: TaskStatus): boolean => isDone(status) || status === 'skipped';

const reached = (status: TaskStatus, level: Level | undefined): boolean =>
  isSettled(status) || (level === 'submitted' && status === 'submitted');

/** Closing code by hand merges nothing; work that has no code of its own cannot merge. */
const landed = ({ type, status }: GraphTask): boolean =>
  isDispatchable(type) ? status === 'merged' || status === 'skipped' : isSettled(status);

function standing({ type, status }: GraphTask): BlockerState {
  if (status === 'cancelled') return 'cancelled';
  if (type === 'decision' || type === 'milestone') return 'gate';
  return status === 'failed' ? 'failed' : 'waiting';
}

function condition(target: GraphTask): BlockerState {
  if (target.status === 'failed') return 'satisfied';
  if (isSettled(target.status)) return 'skip';
  return standing(target);
}

/**
 * Cancelled children are out of the count, as they are when an epic rolls up, but if nothing
 * else is left then nothing was ever done.
 */
function childrenState(graph: WorkGraph, target: GraphTask, need: 'all' | 'any'): BlockerState {
  const children = childrenOf(graph, target.id).flatMap((id) => graph.tasks.get(id) ?? []);
  if (isSettled(target.status)) return 'satisfied';
  if (children.length === 0) return standing(target);
  const states = children
    .filter((child) => child.status !== 'cancelled')
    .map((child) => (isSettled(child.status) ? 'satisfied' : standing(child)));
  const order = need === 'all' ? STRICTEST_FIRST : MILDEST_FIRST;
  return order.find((state) => states.includes(state)) ?? 'cancelled';
}

const STRICTEST_FIRST: readonly BlockerState[] = ['failed', 'waiting', 'gate', 'satisfied'];
const MILDEST_FIRST: readonly BlockerState[] = ['satisfied', 'waiting', 'gate', 'failed'];
