import { naturalOrder } from '../graph/natural-order.ts';
import type { ConvoyId, TaskId } from './ids.ts';

/** A ready task that could be started now. */
export type Candidate = {
  readonly task: TaskId;
  readonly convoy: ConvoyId;
  readonly repo: string;
  readonly agent: string;
  readonly priority: number;
  /** Minutes from its start to the end of everything behind it. */
  readonly remaining: number;
  readonly createdAt: number;
};

/** How many more may start at each level; null is no limit of its own. */
export type Room = {
  readonly workspace: number;
  readonly convoys: ReadonlyMap<string, number | null>;
  readonly agents: ReadonlyMap<string, number | null>;
  /** How many already run per convoy, for fairness. */
  readonly running: ReadonlyMap<string, number>;
};

export type Strategy = 'default' | 'fifo' | 'critical-path' | 'coordinator';

/**
 * Which ready tasks start now: the convoy with the fewest agents goes first, and within a convoy
 * priority, then the longest remaining path, then age; `chosen` is what a coordinator wants first.
 * Every level's limit is a true ceiling.
 */
export function pickStarts(
  candidates: readonly Candidate[],
  room: Room,
  strategy: Strategy,
  chosen: readonly string[] = [],
): Candidate[] {
  const queues = new Map<string, Candidate[]>();
  for (const candidate of candidates.toSorted(orderBy(strategy, chosen))) {
    const queue = queues.get(candidate.convoy);
    if (queue === undefined) queues.set(candidate.convoy, [candidate]);
    else queue.push(candidate);
  }
  const running = new Map(room.running);
  const left = { convoys: new Map(room.convoys), agents: new Map(room.agents) };
  const picked: Candidate[] = [];
  while (picked.length < room.workspace) {
    const next = nextInTurn(queues, running, left);
    if (next === null) break;
    picked.push(next);
    running.set(next.convoy, (running.get(next.convoy) ?? 0) + 1);
    take(left.convoys, next.convoy);
    take(left.agents, next.agent);
  }
  return picked;
}

type Left = { convoys: Map<string, number | null>; agents: Map<string, number | null> };

/** The first startable task of the convoy that has least running; urgent work breaks the tie. */
function nextInTurn(
  queues: ReadonlyMap<string, Candidate[]>,
  running: ReadonlyMap<string, number>,
  left: Left,
): Candidate | null {
  let best: { queue: Candidate[]; place: number; candidate: Candidate; load: number } | null = null;
  for (const [convoy, queue] of queues) {
    if (!hasRoom(left.convoys, convoy)) continue;
    const place = queue.findIndex(({ agent }) => hasRoom(left.agents, agent));
    const candidate = queue[place];
    if (candidate === undefined) continue;
    const load = running.get(convoy) ?? 0;
    const isBetter =
      best === null ||
      load < best.load ||
      (load === best.load && candidate.priority < best.candidate.priority);
    if (isBetter) best = { queue, place, candidate, load };
  }
  if (best === null) return null;
  best.queue.splice(best.place, 1);
  return best.candidate;
}

const hasRoom = (limits: ReadonlyMap<string, number | null>, name: string): boolean =>
  (limits.get(name) ?? 1) > 0;

function take(limits: Map<string, number | null>, name: string): void {
  const limit = limits.get(name) ?? null;
  if (limit !== null) limits.set(name, limit - 1);
}

/** What a coordinator chose comes first, in its order; the rest as by default. */
const byChoice =
  (chosen: readonly string[]) =>
  (a: Candidate, b: Candidate): number =>
    placeIn(chosen, a.task) - placeIn(chosen, b.task) || orderBy('default', [])(a, b);

const placeIn = (chosen: readonly string[], task: string): number =>
  chosen.includes(task) ? chosen.indexOf(task) : chosen.length;

function orderBy(
  strategy: Strategy,
  chosen: readonly string[],
): (a: Candidate, b: Candidate) => number {
  if (strategy === 'coordinator' && chosen.length > 0) return byChoice(chosen);
  if (strategy === 'fifo') return age;
  if (strategy === 'critical-path') return (a, b) => b.remaining - a.remaining || age(a, b);
  return (a, b) => a.priority - b.priority || b.remaining - a.remaining || age(a, b);
}

const age = (a: Candidate, b: Candidate): number =>
  a.createdAt - b.createdAt || naturalOrder(a.task, b.task);

const MOST_DOUBLINGS = 10;
const SPREAD = 0.2;

/** When a failed task may be tried again: doubling, give or take a fifth. `chance` is 0 to 1. */
export function retryDelay(baseMs: number, failures: number, chance: number): number {
  const doubled = baseMs * 2 ** Math.min(Math.max(failures - 1, 0), MOST_DOUBLINGS);
  return Math.round(doubled * (1 - SPREAD + 2 * SPREAD * chance));
}
