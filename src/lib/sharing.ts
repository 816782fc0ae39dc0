/**
 * Lets everyone who asks before a look has begun share it. Nobody is told what was seen before they asked, and a
 * crowd costs one or two looks. `hold` puts a look off, for those who are not in a hurry.
 */
export function sharing<T>(
  look: () => Promise<T>,
  hold: () => Promise<unknown> = () => Promise.resolve(),
): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  const begin = async (before: Promise<unknown>): Promise<T> => {
    await before;
    await hold();
    next = null;
    const now = look();
    running = now.catch(() => undefined);
    return now;
  };
  return () => {
    next ??= begin(running);
    return next;
  };
}
