import { naturalOrder } from '../graph/natural-order.ts';
import { END, START, eachWait, waitPath } from '../graph/waits.ts';
import { workGraph, type GraphTask } from '../graph/work-graph.ts';
import { isOrdering } from '../work/dependency.ts';
import type { TaskId } from '../work/ids.ts';

/** An edge that had to go because work would have waited for itself. */
export type Cut = {
  readonly from: TaskId;
  readonly on: TaskId;
  readonly of: 'order' | 'hierarchy';
  /** Each waits for the next, the last for the first; a long way round is cut short. */
  readonly path: readonly TaskId[];
};

const MOST_SHOWN = 20;

/**
 * Finds edges without which no work waits for itself, among those that may be cut.
 *
 * One walk over the moments of the whole graph (see waits.ts), in the order of the ids, so that
 * the same tasks lose the same edges in whatever order they came. Whenever the walk comes back to
 * where it is, the last edge on the way that may be cut goes, and the walk steps back before it.
 */
export function untie(tasks: readonly GraphTask[], mayCut: (id: TaskId) => boolean): Cut[] {
  const walk = startOf(tasks, mayCut);
  for (let root = 0; root < walk.seen.length; root += 1) {
    if (walk.seen[root] !== UNSEEN) continue;
    enter(walk, root);
    for (let node = walk.trail.at(-1); node !== undefined; node = walk.trail.at(-1))
      step(walk, node);
  }
  return needed(walk.cuts, tasks);
}

const UNSEEN = 0;
const ON_TRAIL = 1;
const DONE = 2;

type Walk = {
  readonly ids: readonly TaskId[];
  /** Moment `m` of the task with number `n` is node `2n + m`. */
  readonly targets: readonly (readonly number[])[];
  readonly mayCut: readonly boolean[];
  readonly seen: Uint8Array;
  readonly next: Int32Array;
  readonly trail: number[];
  readonly gone: Set<string>;
  readonly cuts: Cut[];
};

function startOf(tasks: readonly GraphTask[], mayCut: (id: TaskId) => boolean): Walk {
  const graph = workGraph(tasks);
  const ids = [...graph.tasks.keys()].toSorted(naturalOrder);
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const targets: number[][] = Array.from({ length: 2 * ids.length }, () => []);
  for (const [number, id] of ids.entries()) {
    eachWait(graph, graph.tasks.get(id)!, (moment, on, ofMoment) =>
      targets[2 * number + moment]!.push(2 * numbers.get(on)! + ofMoment),
    );
  }
  return {
    ids,
    targets,
    mayCut: ids.map(mayCut),
    seen: new Uint8Array(targets.length),
    next: new Int32Array(targets.length),
    trail: [],
    gone: new Set(),
    cuts: [],
  };
}

function enter(walk: Walk, node: number): void {
  walk.seen[node] = ON_TRAIL;
  walk.trail.push(node);
}

function step(walk: Walk, node: number): void {
  const target = walk.targets[node]![walk.next[node]!];
  if (target === undefined) {
    walk.seen[node] = DONE;
    walk.trail.pop();
    return;
  }
  walk.next[node]! += 1;
  if (walk.gone.has(nameOf(node, target))) return;
  if (walk.seen[target] === UNSEEN) enter(walk, target);
  else if (walk.seen[target] === ON_TRAIL) cutOne(walk, target);
}

/** The trail from `target` to its end, and back to `target`, is a way round. */
function cutOne(walk: Walk, target: number): void {
  const arc = lastArc(walk, target, isOrder) ?? lastArc(walk, target, isHierarchy);
  // A knot among what was there before is not ours to untie.
  if (!arc) return;
  const [from, to] = arc;
  const order = isOrder(from, to);
  // A child's start waits for its parent's, a parent's end for its child's: one edge, two arcs.
  const [child, parent] = from % 2 === START ? [from >> 1, to >> 1] : [to >> 1, from >> 1];
  walk.cuts.push({
    from: walk.ids[child]!,
    on: walk.ids[parent]!,
    of: order ? 'order' : 'hierarchy',
    path: startingAt(walk.ids[child]!, pathFrom(walk, target)),
  });
  walk.gone.add(nameOf(from, to));
  if (!order) {
    walk.gone.add(nameOf(2 * child + START, 2 * parent + START));
    walk.gone.add(nameOf(2 * parent + END, 2 * child + END));
  }
  stepBack(walk, order ? walk.trail.lastIndexOf(from) : 0);
}

type ArcTest = (from: number, to: number) => boolean;

const isOrder: ArcTest = (from, to) => from % 2 === START && to % 2 === END;
const isHierarchy: ArcTest = (from, to) => from % 2 === to % 2;

function lastArc(walk: Walk, target: number, fits: ArcTest): [number, number] | null {
  let to = target;
  for (let at = walk.trail.length - 1; at >= 0; at -= 1) {
    const from = walk.trail[at]!;
    const owner = isHierarchy(from, to) && from % 2 === END ? to : from;
    if (fits(from, to) && walk.mayCut[owner >> 1]) return [from, to];
    if (from === target) return null;
    to = from;
  }
  return null;
}

function pathFrom({ trail, ids }: Walk, target: number): TaskId[] {
  const path: TaskId[] = [];
  for (let at = trail.length - 1; at >= 0 && path.length < MOST_SHOWN; at -= 1) {
    const id = ids[trail[at]! >> 1]!;
    if (path.at(-1) !== id) path.push(id);
    if (trail[at] === target) break;
  }
  if (path.length > 1 && path[0] === path.at(-1)) path.pop();
  return path.toReversed();
}

function startingAt(id: TaskId, path: readonly TaskId[]): readonly TaskId[] {
  const at = path.indexOf(id);
  return at < 1 ? path : [...path.slice(at), ...path.slice(0, at)];
}

/** Takes the walk back to the first arc, from `since` on, that is no longer there. */
function stepBack(walk: Walk, since: number): void {
  const { trail, next, seen } = walk;
  let keep = trail.length;
  for (let at = Math.max(since, 0); at < trail.length - 1; at += 1) {
    if (!walk.gone.has(nameOf(trail[at]!, trail[at + 1]!))) continue;
    keep = at + 1;
    break;
  }
  while (trail.length > keep) {
    const node = trail.pop()!;
    seen[node] = UNSEEN;
    // What was left behind is done; only the arc in hand has to be read again.
    if (next[node]! > 0) next[node]! -= 1;
  }
}

const nameOf = (from: number, to: number): string => `${from}>${to}`;

/** Each needs a walk of its own, so that only a file with few mistakes is looked at this closely. */
const MOST_RECONSIDERED = 200;

/** A later cut may have opened the way round for which an earlier one was made: that one stays. */
function needed(cuts: readonly Cut[], tasks: readonly GraphTask[]): Cut[] {
  if (cuts.length === 0 || cuts.length > MOST_RECONSIDERED) return [...cuts];
  const byTask = Map.groupBy(cuts, ({ from }) => from);
  const graph = workGraph(tasks.map((task) => without(task, byTask.get(task.id) ?? [])));
  const restored = new Map<TaskId, TaskId[]>();
  return cuts.filter(({ from, on, of }) => {
    if (of === 'hierarchy' || waitPath(graph, on, from, restored) !== null) return true;
    restored.set(from, [...(restored.get(from) ?? []), on]);
    return false;
  });
}

function without(task: GraphTask, cuts: readonly Cut[]): GraphTask {
  if (cuts.length === 0) return task;
  const isCut = (of: Cut['of'], target: TaskId): boolean =>
    cuts.some((cut) => cut.of === of && cut.on === target);
  return {
    ...task,
    parent: task.parent !== null && isCut('hierarchy', task.parent) ? null : task.parent,
    dependencies: task.dependencies.filter(
      ({ on, kind }) => !isOrdering(kind) || !isCut('order', on),
    ),
  };
}
