import type { Arcs } from './arcs.ts';

/**
 * Groups of nodes that all reach each other (Tarjan's algorithm with a stack of its own).
 *
 * A single node is one only if it points at itself.
 */
export function components(arcs: Arcs): number[][] {
  const search: Search = {
    arcs,
    visited: 0,
    seenAs: new Int32Array(arcs.size),
    lowest: new Int32Array(arcs.size),
    nextArc: arcs.offsets.slice(),
    open: [],
    isOpen: new Uint8Array(arcs.size),
    found: [],
  };
  for (let node = 0; node < arcs.size; node += 1) {
    if (search.seenAs[node] === 0) explore(search, node);
  }
  return search.found;
}

type Search = {
  readonly arcs: Arcs;
  visited: number;
  /** When a node was first seen, counted from 1. */
  readonly seenAs: Int32Array;
  /** The oldest open node that a node is known to reach. */
  readonly lowest: Int32Array;
  readonly nextArc: Int32Array;
  readonly open: number[];
  readonly isOpen: Uint8Array;
  readonly found: number[][];
};

function explore(search: Search, root: number): void {
  const { arcs, seenAs, lowest, nextArc, isOpen } = search;
  const trail: number[] = [root];
  enter(search, root);
  while (trail.length > 0) {
    const node = trail.at(-1)!;
    if (nextArc[node]! < arcs.offsets[node + 1]!) {
      const target = arcs.targets[nextArc[node]!]!;
      nextArc[node]! += 1;
      if (seenAs[target] === 0) {
        enter(search, target);
        trail.push(target);
      } else if (isOpen[target] === 1) {
        lowest[node] = Math.min(lowest[node]!, seenAs[target]!);
      }
      continue;
    }
    trail.pop();
    const parent = trail.at(-1);
    if (parent !== undefined) lowest[parent] = Math.min(lowest[parent]!, lowest[node]!);
    if (lowest[node] === seenAs[node]) close(search, node);
  }
}

function enter(search: Search, node: number): void {
  search.visited += 1;
  search.seenAs[node] = search.visited;
  search.lowest[node] = search.visited;
  search.open.push(node);
  search.isOpen[node] = 1;
}

function close({ arcs, open, isOpen, found }: Search, root: number): void {
  const component: number[] = [];
  for (let node = -1; node !== root;) {
    node = open.pop()!;
    isOpen[node] = 0;
    component.push(node);
  }
  if (component.length > 1 || pointsAtItself(arcs, root)) {
    found.push(component.toSorted((a, b) => a - b));
  }
}

const pointsAtItself = ({ offsets, targets }: Arcs, node: number): boolean =>
  targets.subarray(offsets[node], offsets[node + 1]).includes(node);
