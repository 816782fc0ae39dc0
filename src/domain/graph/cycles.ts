import type { TaskId } from '../work/ids.ts';
import { packArcs } from './arcs.ts';
import { components } from './components.ts';
import { naturalOrder } from './natural-order.ts';
import { shortestCycle } from './shortest-cycle.ts';
import { END, eachWait } from './waits.ts';
import type { WorkGraph } from './work-graph.ts';

export const MOST_CYCLES = 20;

export type Cycle = {
  /** How many tasks hold each other up; the path is a shortest way round among them. */
  readonly size: number;
  /** Each task waits for the next and the last for the first; begins at the lowest id. */
  readonly path: readonly TaskId[];
};

/** Finds work that waits for itself: a shortest cycle for each knot, at most 20 of them. */
export function findCycles(graph: WorkGraph): Cycle[] {
  const ids = [...graph.tasks.keys()];
  const arcs = waitArcs(graph, ids);
  // A loop of parents ties a knot of starts and one of ends; the first says it all.
  const knots = components(arcs)
    .filter((knot) => knot.some((node) => node % 2 !== END))
    .toSorted((a, b) => a[0]! - b[0]!);
  return knots.slice(0, MOST_CYCLES).map((knot) => ({
    size: new Set(knot.map((node) => node >> 1)).size,
    path: fromLowest(shortestCycle(arcs, knot).map((task) => ids[task]!)),
  }));
}

/** Moment `m` of the task with number `n` is node `2n + m`. */
function waitArcs(graph: WorkGraph, ids: readonly TaskId[]) {
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const from: number[] = [];
  const to: number[] = [];
  for (const task of graph.tasks.values()) {
    const node = 2 * numbers.get(task.id)!;
    eachWait(graph, task, (moment, on, ofMoment) => {
      from.push(node + moment);
      to.push(2 * numbers.get(on)! + ofMoment);
    });
  }
  return packArcs(2 * ids.length, { from, to });
}

function fromLowest(path: readonly TaskId[]): TaskId[] {
  let lowest = 0;
  for (let at = 1; at < path.length; at += 1) {
    if (naturalOrder(path[at]!, path[lowest]!) < 0) lowest = at;
  }
  return [...path.slice(lowest), ...path.slice(0, lowest)];
}
