/**
 * Lets a few of many do their work at a time, first come first served. A burst of short work that all
 * begins together also ends together, late; in turns the first are through while the last still wait.
 */
export function turns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let busy = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else busy += 1;
    try {
      return await work();
    } finally {
      // Whoever is next takes over this place, so that nobody slips in between.
      const next = waiting.shift();
      if (next === undefined) busy -= 1;
      else next();
    }
  };
}
