/** When sealing runs: at once for a reader, a little later and together for writers. */
export type Sealing = {
  /** Resolves when everything committed before the call is sealed. */
  readonly now: () => Promise<void>;
  /** Something was committed; nobody waits for it. */
  readonly soon: () => void;
  /** Seals what is left. */
  readonly close: () => Promise<void>;
};

/**
 * Runs one seal at a time. Those who ask while one runs share the next, because the running one may
 * have looked before they committed.
 */
export function sealingBy(seal: () => Promise<void>, lingerMs: number): Sealing {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const start = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const mine = seal().finally(() => {
      if (running === mine) running = null;
    });
    running = mine;
    return mine;
  };
  const now = (): Promise<void> => {
    if (running === null) return start();
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        return start();
      });
    return next;
  };
  // The events are safe: whoever reads or writes next seals them.
  const quietly = (): Promise<void> => now().catch(() => {});

  return {
    now,
    soon: () => {
      timer ??= setTimeout(() => void quietly(), lingerMs);
    },
    close: async () => {
      if (timer !== undefined || running !== null) await quietly();
    },
  };
}
