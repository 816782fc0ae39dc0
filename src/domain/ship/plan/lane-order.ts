import type { LaneKind } from '../scan/lane.ts';

type Placed = {
  readonly name: string;
  readonly kind: LaneKind;
  readonly depends_on: readonly string[];
};

const RANK: Readonly<Record<LaneKind, number>> = { infra: 0, backend: 1, worker: 1, frontend: 2 };

/**
 * Lanes after those they depend on; where nothing is said, infra before services before pages.
 *
 * A circle cannot be ordered: its lanes come last, by kind and name.
 */
export function laneOrder<L extends Placed>(lanes: readonly L[]): readonly L[] {
  const waiting = lanes.toSorted(
    (a, b) => RANK[a.kind] - RANK[b.kind] || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
  const ordered: L[] = [];
  while (waiting.length > 0) {
    const left = new Set(waiting.map(({ name }) => name));
    const next = waiting.findIndex((lane) =>
      lane.depends_on.every((name) => name === lane.name || !left.has(name)),
    );
    ordered.push(...waiting.splice(Math.max(0, next), 1));
  }
  return ordered;
}

/** Every lane that needs one of these, directly or through others. */
export function dependantsOf(
  failed: ReadonlySet<string>,
  lanes: readonly Placed[],
): ReadonlySet<string> {
  const held = new Set<string>();
  let before = -1;
  while (held.size !== before) {
    before = held.size;
    for (const { name, depends_on } of lanes)
      if (!failed.has(name) && depends_on.some((on) => failed.has(on) || held.has(on)))
        held.add(name);
  }
  return held;
}
