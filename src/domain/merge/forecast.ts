/** Work of one task that is on its way: an attempt's branch so far, or a change in a queue. */
export type Moving = {
  readonly task: string;
  /** The attempt or the change. */
  readonly id: string;
  readonly head: string;
  /** Where the work began; nothing is committed while both are the same. */
  readonly base: string | null;
};

export type Pair = { readonly a: Moving; readonly b: Moving };

/** Names the question about two heads; which of them is first makes no difference. */
export const pairKey = ({ a, b }: Pair): string => [a.head, b.head].toSorted().join(' ');

/**
 * Which works of one repo could collide: every two tasks that have committed something, those of
 * the given tasks first. Bounded, so that a crowd cannot make a look expensive.
 */
export function pairsOf(
  moving: readonly Moving[],
  first: ReadonlySet<string>,
  most: number,
): Pair[] {
  const begun = moving.filter(({ head, base }) => head !== base);
  const pairs = begun.flatMap((a, place) =>
    begun
      .slice(place + 1)
      .filter((b) => a.task !== b.task && a.head !== b.head)
      .map((b) => ({ a, b })),
  );
  const isWanted = ({ a, b }: Pair): boolean => first.has(a.task) || first.has(b.task);
  return pairs.filter(isWanted).slice(0, most);
}
