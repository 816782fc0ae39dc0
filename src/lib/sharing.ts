/**
 * Lets everyone who asks while a look is under way share the next one. Nobody is told what was seen before
 * they asked, and a crowd costs two looks.
 */
export function sharing<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | null = null;
  let next: Promise<T> | null = null;
  const begin = (): Promise<T> => {
    next = null;
    const now = look();
    const over = (): null => (running = null);
    running = now.then(over, over);
    return now;
  };
  return () => {
    if (running === null) return begin();
    next ??= running.then(() => begin());
    return next;
  };
}
