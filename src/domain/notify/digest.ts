/** A notice on its way to one reader. */
export type Waiting = {
  readonly notice: string;
  readonly target: string;
  /** The message it travels in; its own until it was put into a digest. */
  readonly message: string;
  /** It may have gone out in its message already, and then can travel in no other. */
  readonly sentBefore: boolean;
};

/** What is sent at once: one notice, or many as a digest. */
export type Parcel<W extends Waiting> = {
  readonly message: string;
  readonly target: string;
  readonly items: readonly W[];
};

const MOST_SINGLE = 5;
const MOST_IN_DIGEST = 50;

export const messageOf = (notice: string, target: string): string => `${notice}@${target}`;

/**
 * Packs what waits for one reader: a few one by one, many as digests. What was once put together
 * stays together under the same name, so that a repeated digest is known as such.
 */
export function pack<W extends Waiting>(
  waiting: readonly W[],
  digestName: () => string,
): Parcel<W>[] {
  const fresh = waiting.filter(({ sentBefore }) => !sentBefore);
  if (fresh.length <= MOST_SINGLE) return byMessage(waiting);
  const parcels = byMessage(waiting.filter(({ sentBefore }) => sentBefore));
  for (let start = 0; start < fresh.length; start += MOST_IN_DIGEST) {
    const items = fresh.slice(start, start + MOST_IN_DIGEST);
    const [first] = items;
    if (first !== undefined) parcels.push({ message: digestName(), target: first.target, items });
  }
  return parcels;
}

function byMessage<W extends Waiting>(waiting: readonly W[]): Parcel<W>[] {
  const groups = Map.groupBy(waiting, ({ message }) => message);
  return [...groups].map(([message, items]) => ({
    message,
    target: items[0]?.target ?? '',
    items,
  }));
}
