/** Tasks by number; `after` are the numbers each waits for. */
export type Node = {
  readonly after: readonly number[];
  /** Tasks of one sub-epic; then the sub-epics wait for each other and `after` only follows from that. */
  readonly epic?: number;
};
export type Shape = readonly Node[];

export type Pace = {
  readonly agentMs: number;
  readonly gateMs: number;
  /** Attempts at the same time. */
  readonly parallel: number;
  /** Verifications at the same time. */
  readonly slots: number;
};

/**
 * The time no engine can beat, from agents and gates alone. The longest chain: each of its tasks is worked
 * on and then verified. Or the capacity: all agents share the places, and the last one's work is verified.
 * Gates have no such share, because one run may verify many changes.
 */
export function bound(shape: Shape, { agentMs, gateMs, parallel }: Pace): number {
  const ends: number[] = [];
  for (const { after } of shape)
    ends.push(agentMs + gateMs + Math.max(0, ...after.map((other) => ends[other] ?? 0)));
  const rounds = Math.ceil(shape.length / parallel);
  return Math.max(0, ...ends, shape.length === 0 ? 0 : rounds * agentMs + gateMs);
}

const SUB_EPICS = 3;
const IN_EACH = 3;

export const SHAPES: Readonly<Record<string, () => Shape>> = {
  chain: () => Array.from({ length: 6 }, (_, n) => ({ after: n === 0 ? [] : [n - 1] })),
  diamond: () => [
    { after: [] },
    { after: [0] },
    { after: [0] },
    { after: [0] },
    { after: [1, 2, 3] },
  ],
  wide: () => Array.from({ length: 8 }, () => ({ after: [] })),
  'sub-epics': () =>
    Array.from({ length: SUB_EPICS * IN_EACH }, (_, n) => {
      const epic = Math.floor(n / IN_EACH);
      const before = Array.from({ length: IN_EACH }, (__, of) => (epic - 1) * IN_EACH + of);
      return { epic, after: epic === 0 ? [] : before };
    }),
  random: () => randomShape(200, 11),
};

/** Each task waits for up to two earlier ones. */
export function randomShape(size: number, seed: number): Shape {
  let state = seed;
  const chance = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: size }, (_, n) => {
    const waits = n === 0 ? 0 : Math.floor(chance() * 3);
    return { after: [...new Set(Array.from({ length: waits }, () => Math.floor(chance() * n)))] };
  });
}
