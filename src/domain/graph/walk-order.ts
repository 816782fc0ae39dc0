import { startOf } from './open-order.ts';
import type { Order } from './open-order.ts';

/** What can keep a node from its turn, as bits, so that both can be true. */
export const GATED = 1;
export const OUTSIDE = 2;

export type Walk = {
  /** How much weighted work lies before a node and in it; -1 where a cycle is in the way. */
  readonly reached: Int32Array;
  readonly held: Uint8Array;
  /** The node that decided it, or -1. */
  readonly after: Int32Array;
};

type Weights = {
  /** What the task with this number adds between its start and its end. */
  readonly weight: (task: number) => number;
  /** What holds a node by itself; everything behind it inherits that. */
  readonly holds: (node: number) => number;
};

/** Goes through an order once and tells for each node how far down it lies. */
export function walkOrder(order: Order, { weight, holds }: Weights): Walk {
  const { arcs, sequence, firstChoice } = order;
  const reached = new Int32Array(arcs.size).fill(-1);
  const held = new Uint8Array(arcs.size);
  const after = new Int32Array(arcs.size).fill(-1);
  const walk = { reached, held, after };
  for (const node of sequence) {
    // Nothing came before: a node without predecessors is reached at once.
    if (reached[node] === -1) reached[node] = 0;
    held[node]! |= holds(node);
    for (let arc = arcs.offsets[node]!; arc < arcs.offsets[node + 1]!; arc += 1) {
      const target = arcs.targets[arc]!;
      const own = target === node + 1 && node % 2 === 0 && node < firstChoice;
      const length = reached[node]! + (own ? weight(node >> 1) : 0);
      const arrival = { node, length, held: held[node]! };
      if (target >= firstChoice) arriveFirst(walk, target, arrival);
      else arriveLast(walk, target, arrival);
    }
  }
  // Nodes behind a cycle were touched by what came before it, yet their turn never comes.
  const turns = new Uint8Array(arcs.size);
  for (const node of sequence) turns[node] = 1;
  for (let node = 0; node < arcs.size; node += 1) if (turns[node] === 0) reached[node] = -1;
  return walk;
}

type Arrival = { readonly node: number; readonly length: number; readonly held: number };

/** An ordinary node waits for the last of its predecessors. */
function arriveLast({ reached, held, after }: Walk, target: number, arrival: Arrival): void {
  held[target]! |= arrival.held;
  if (arrival.length <= reached[target]!) return;
  reached[target] = arrival.length;
  after[target] = arrival.node;
}

/** A choice takes the first of them, but one that is free before any that is held. */
function arriveFirst({ reached, held, after }: Walk, target: number, arrival: Arrival): void {
  const untouched = reached[target] === -1;
  const isFree = held[target] === 0;
  if (!untouched && isFree && arrival.held !== 0) return;
  if (untouched || (!isFree && arrival.held === 0)) {
    held[target] = arrival.held;
  } else {
    held[target]! |= arrival.held;
    if (arrival.length >= reached[target]!) return;
  }
  reached[target] = arrival.length;
  after[target] = arrival.node;
}

export const startsAt = (walk: Walk, task: number): number => walk.reached[startOf(task)]!;
