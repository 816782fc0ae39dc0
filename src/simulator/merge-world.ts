import { type ChangeId, changeId } from '../domain/work/ids.ts';
import type { Stack } from '../domain/merge/queue-view.ts';

/** A made-up repository: which changes are good, which collide, and how long its gate takes. */
export type MergeWorld = {
  /** In queue order. */
  readonly changes: readonly SimulatedChange[];
  /** Pairs that are green apart and red together. */
  readonly badPairs: readonly Pair[];
  /** Pairs that cannot be merged textually into the same tree. */
  readonly conflicts: readonly Pair[];
  /** How long the nth gate run takes, in virtual milliseconds. */
  readonly gate: (run: number) => number;
};

export type SimulatedChange = {
  readonly id: ChangeId;
  /** Red wherever it is. Every change is red without those it needs. */
  readonly bad: boolean;
  /** Does not merge into the target as it was at the start. */
  readonly conflicting: boolean;
  readonly needs: readonly ChangeId[];
  /** When it enters the queue, in virtual milliseconds. */
  readonly at: number;
};

export type Pair = readonly [ChangeId, ChangeId];

/** Whether the gate passes on a tree with these changes in it. */
export function isGreen(world: MergeWorld, content: readonly ChangeId[]): boolean {
  const inside = new Set(content);
  const isSound = ({ id, bad, needs }: SimulatedChange): boolean =>
    !inside.has(id) || (!bad && needs.every((need) => inside.has(need)));
  return (
    world.changes.every(isSound) && !world.badPairs.some(([a, b]) => inside.has(a) && inside.has(b))
  );
}

/** Merges changes one by one into a tree, leaving out those that conflict. */
export function mergeInto(
  world: MergeWorld,
  content: readonly ChangeId[],
  members: readonly ChangeId[],
): Stack {
  const inside = new Set(content);
  const merged = members.filter((id) => {
    if (collides(world, inside, id)) return false;
    inside.add(id);
    return true;
  });
  return { tree: treeOf([...inside]), members: merged, leftOut: without(members, merged) };
}

/** Trees are named by what is in them: merging in another order gives the same tree. */
export const treeOf = (content: readonly ChangeId[]): string => `tree:${content.toSorted().join()}`;

function collides(world: MergeWorld, inside: ReadonlySet<ChangeId>, id: ChangeId): boolean {
  return (
    world.changes.some((change) => change.id === id && change.conflicting) ||
    world.conflicts.some(([a, b]) => (a === id && inside.has(b)) || (b === id && inside.has(a)))
  );
}

const without = (all: readonly ChangeId[], some: readonly ChangeId[]): ChangeId[] =>
  all.filter((id) => !some.includes(id));

/** A world of the given make-up, the same for the same seed. */
export function randomWorld(make: {
  readonly seed: number;
  readonly changes: number;
  /** Share of changes that are red by themselves. */
  readonly bad: number;
  /** Share of changes that conflict with another, good change: only one of the two can land. */
  readonly conflicting: number;
  /** Time between two arrivals; absent means that all are there at the start. */
  readonly everyMs?: number;
  readonly gateMs: number;
  /** A run takes between `gateMs × (1 − spread)` and `gateMs × (1 + spread)`. */
  readonly spread: number;
}): MergeWorld {
  const chance = seededChance(make.seed);
  const ids = Array.from({ length: make.changes }, (_, n) =>
    changeId(`c${String(n).padStart(3, '0')}`),
  );
  const shuffled = ids
    .map((id) => ({ id, key: chance() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ id }) => id);
  const badCount = Math.round(make.changes * make.bad);
  const bad = new Set(shuffled.slice(0, badCount));
  const good = shuffled.slice(badCount);
  const conflicts = good
    .slice(0, Math.round(make.changes * make.conflicting))
    .flatMap((id, n): Pair[] => {
      const partner = good[good.length - 1 - n];
      return partner === undefined || partner === id ? [] : [[id, partner]];
    });
  return {
    changes: ids.map((id, n) => ({
      id,
      bad: bad.has(id),
      conflicting: false,
      needs: [],
      at: n * (make.everyMs ?? 0),
    })),
    badPairs: [],
    conflicts,
    gate: (run) =>
      make.gateMs * (1 + make.spread * (2 * seededChance(make.seed * 65_537 + run)() - 1)),
  };
}

/** A source of numbers from 0 up to 1 that is the same for the same seed. */
export function seededChance(seed: number): () => number {
  let drawn = 0;
  return () => {
    drawn += 1;
    return mixed(seed + Math.imul(drawn, 0x9e3779b1)) / 2 ** 32;
  };
}

/** Spreads neighbouring numbers over all 32 bits. */
function mixed(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
