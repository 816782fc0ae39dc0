/** Tells that the ledger may have changed. It carries no data: whoever wakes reads the ledger. */
export type Changes = {
  /** Resolves at the next change, or when the signal aborts. */
  readonly next: (signal?: AbortSignal) => Promise<void>;
  /** This process has just committed. */
  readonly poke: () => void;
  /** Does something to the ledger that is nobody's news, like renewing a lease. */
  readonly quietly: <T>(work: () => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
};

/** Waiters that are woken together; `watch` runs only while there is somebody to wake. */
export function changesFrom(watch: (wake: () => void) => () => void): Changes {
  const waiters = new Set<() => void>();
  let stop: (() => void) | null = null;
  const wake = (): void => {
    const woken = [...waiters];
    waiters.clear();
    for (const waiter of woken) waiter();
    settle();
  };
  const settle = (): void => {
    if (waiters.size > 0) stop ??= watch(wake);
    else {
      stop?.();
      stop = null;
    }
  };
  return {
    next: (signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const done = (): void => {
          signal?.removeEventListener('abort', aborted);
          resolve();
        };
        const aborted = (): void => {
          waiters.delete(done);
          settle();
          resolve();
        };
        waiters.add(done);
        signal?.addEventListener('abort', aborted, { once: true });
        settle();
      }),
    poke: wake,
    quietly: (work) => work(),
    close: async () => wake(),
  };
}
