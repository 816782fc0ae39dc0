import type { ChangeId, Instant } from '../work/ids.ts';

/** What decides a change's place in the queue. */
export type Queued = {
  readonly id: ChangeId;
  readonly priority: number;
  readonly enqueuedAt: Instant;
  /** Where a person put it; null leaves it to priority and age. */
  readonly movedTo: number | null;
  /** Changes in the same queue that must come before this one. */
  readonly needs: readonly ChangeId[];
};

/** How much waiting weighs as much as one step of priority. */
export const STEP_MS = 3_600_000;

/** No change enqueued this much later gets ahead by priority alone. */
export const LONGEST_HEAD_START_MS = 4 * STEP_MS;

/**
 * The queue from front to back: most urgent first, then oldest, needs before those that need them.
 *
 * Each step of priority is worth an hour of waiting, so a P4 yields to urgent changes only if they
 * come within four hours of it: whoever comes later stands behind it, and the wait is bounded by
 * the work that was there by then. A change that others need is as urgent as the most urgent of
 * them.
 */
export function orderQueue<Entry extends Queued>(entries: readonly Entry[]): Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const byTurn = earlierTurn(inheritedTurns(entries));
  const placed = new Set<ChangeId>();
  const ordered: Entry[] = [];
  const placeAfterNeeds = (entry: Entry): void => {
    if (placed.has(entry.id)) return;
    // Marked before its needs, so that a circle ends instead of going round.
    placed.add(entry.id);
    const needs = entry.needs.flatMap((need) => byId.get(need) ?? []);
    for (const need of needs.toSorted(byTurn)) placeAfterNeeds(need);
    ordered.push(entry);
  };
  for (const entry of entries.toSorted(byTurn)) placeAfterNeeds(entry);
  return ordered;
}

/** When a change's turn comes, on the scale of instants; lower is earlier. */
export function turnOf(entry: Pick<Queued, 'priority' | 'enqueuedAt' | 'movedTo'>): number {
  return entry.movedTo ?? entry.enqueuedAt + knownPriority(entry.priority) * STEP_MS;
}

/** Anything that is not a priority we know waits with the least urgent. */
export const knownPriority = (priority: number): number =>
  Number.isInteger(priority) && priority >= 0 && priority <= 4 ? priority : 4;

/** The turn that puts a change at a place among the others, counted from zero at the front. */
export function turnAt(others: readonly Queued[], at: number): number {
  const turns = inheritedTurns(others);
  const [before, after] = orderQueue(others)
    .map((entry) => turns.get(entry.id) ?? 0)
    .slice(Math.max(0, at - 1), at + 1);
  if (at <= 0) return (before ?? 1) - 1;
  if (after === undefined) return Math.max(0, ...turns.values()) + 1;
  return ((before ?? after) + after) / 2;
}

/** Each change's turn, or that of the most urgent change that needs it. */
function inheritedTurns(entries: readonly Queued[]): Map<ChangeId, number> {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const turns = new Map<ChangeId, number>();
  // From the earliest turn on, so that each change is reached first by its most urgent dependent.
  for (const entry of entries.toSorted((a, b) => turnOf(a) - turnOf(b))) {
    const open: Queued[] = [entry];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (turns.has(next.id)) continue;
      turns.set(next.id, turnOf(entry));
      open.push(...next.needs.flatMap((need) => byId.get(need) ?? []));
    }
  }
  return turns;
}

const earlierTurn =
  (turns: ReadonlyMap<ChangeId, number>) =>
  (a: Queued, b: Queued): number =>
    (turns.get(a.id) ?? 0) - (turns.get(b.id) ?? 0) || (a.id < b.id ? -1 : 1);
