/** When sealing runs: at once for a reader, a little later and together for writers. */
export type Sealing = {
  /** Resolves when everything committed before the call is sealed. */
  readonly now: () => Promise<void>;
  /** Something was committed; nobody waits for it. */
  readonly soon: () => void;
  /** Seals what is left. */
  readonly close: () => Promise<void>;
};

export type Pace = {
  /** How long the first writer waits for company. */
  readonly lingerMs: number;
  /** How far apart busy writers let the seals be. */
  readonly apartMs: number;
};

/**
 * Runs one seal at a time. Those who ask while one runs share the next, because the running one may
 * have looked before they committed.
 */
export function sealingBy(seal: () => Promise<void>, pace: Pace): Sealing {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let ended = Number.NEGATIVE_INFINITY;

  const start = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const mine = seal().finally(() => {
      if (running === mine) running = null;
      ended = performance.now();
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
      if (timer !== undefined) return;
      const pause = Math.max(pace.lingerMs, ended + pace.apartMs - performance.now());
      timer = setTimeout(() => void quietly(), pause);
    },
    close: async () => {
      if (timer !== undefined || running !== null) await quietly();
    },
  };
}
