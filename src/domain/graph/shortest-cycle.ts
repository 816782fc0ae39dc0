import type { Arcs } from './arcs.ts';

/** A huge knot could keep us busy for minutes; after this many arcs the best so far will do. */
const MOST_ARCS_READ = 20_000_000;

/**
 * A shortest way round inside one component, as task numbers (node `n` belongs to task `n >> 1`).
 *
 * Looks for the shortest cycle through one node after the other. A node that was looked at is
 * taken out, with everything that can then no longer be on a cycle, so that a plain ring of any
 * length costs one round.
 */
export function shortestCycle(arcs: Arcs, component: readonly number[]): number[] {
  const knot = untrimmed(arcs, component);
  const search: Search = { cameFrom: new Map(), budget: MOST_ARCS_READ };
  let best: number[] | null = null;
  for (const node of component) {
    if (!knot.alive.has(node)) continue;
    const found = through(arcs, knot, search, { node, shorterThan: best?.length ?? Infinity });
    best = found ?? best;
    if (best && (best.length === 1 || search.budget <= 0)) break;
    takeOut(arcs, knot, node);
  }
  return best ?? [];
}

type Knot = { readonly alive: Set<number>; readonly incoming: Map<number, number> };
type Search = { readonly cameFrom: Map<number, number>; budget: number };

function untrimmed(arcs: Arcs, component: readonly number[]): Knot {
  const alive = new Set(component);
  const incoming = new Map<number, number>();
  for (const node of component) {
    for (const target of targetsOf(arcs, node)) {
      if (alive.has(target)) incoming.set(target, (incoming.get(target) ?? 0) + 1);
    }
  }
  return { alive, incoming };
}

const targetsOf = ({ offsets, targets }: Arcs, node: number): Int32Array =>
  targets.subarray(offsets[node], offsets[node + 1]);

function takeOut(arcs: Arcs, { alive, incoming }: Knot, node: number): void {
  const gone = [node];
  alive.delete(node);
  for (let each = gone.pop(); each !== undefined; each = gone.pop()) {
    for (const target of targetsOf(arcs, each)) {
      if (!alive.has(target)) continue;
      const left = incoming.get(target)! - 1;
      incoming.set(target, left);
      if (left > 0) continue;
      alive.delete(target);
      gone.push(target);
    }
  }
}

type Aim = { readonly node: number; readonly shorterThan: number };

/** Breadth first from a node back to itself, in steps from task to task. */
function through(arcs: Arcs, { alive }: Knot, search: Search, aim: Aim): number[] | null {
  const { cameFrom } = search;
  cameFrom.clear();
  const reach = (target: number, from: number, level: number[]): void => {
    if (!alive.has(target) || cameFrom.has(target)) return;
    cameFrom.set(target, from);
    level.push(target);
    // From its end to its start is no step, so both are on the same level.
    if (isEnd(target)) reach(target - 1, target, level);
  };
  let level = [aim.node];
  if (isEnd(aim.node)) reach(aim.node - 1, aim.node, level);
  for (let steps = 1; level.length > 0 && steps < aim.shorterThan; steps += 1) {
    const next: number[] = [];
    for (const node of level) {
      const targets = targetsOf(arcs, node);
      search.budget -= targets.length;
      for (const target of targets) reach(target, node, next);
    }
    if (cameFrom.has(aim.node)) return wayRound(cameFrom, aim.node);
    level = next;
  }
  return null;
}

const isEnd = (node: number): boolean => node % 2 === 1;

function wayRound(cameFrom: ReadonlyMap<number, number>, node: number): number[] {
  const path: number[] = [];
  let at = node;
  do {
    if (path.at(-1) !== at >> 1) path.push(at >> 1);
    at = cameFrom.get(at)!;
  } while (at !== node);
  if (path.length > 1 && path.at(-1) === path[0]) path.pop();
  return path.toReversed();
}
