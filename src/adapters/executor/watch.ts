import { type FSWatcher, watch } from 'node:fs';

/** Tells when something in a folder changes. A change between two waits ends the second at once. */
export interface Changes extends Disposable {
  /** Resolves at the next change, at the latest after `ms`: where watching fails, that is all there is. */
  next(ms: number, signal?: AbortSignal): Promise<void>;
  /** Counts as a change, for those who learn of one in another way. */
  readonly wake: () => void;
  /** False where the system cannot tell, and only time ends a wait. */
  readonly watched: boolean;
}

/** Watches a folder, or one file name in it, from now on; without a folder there is only what wakes it. */
export function changesIn(folder: string | null, only?: string): Changes {
  let seen = false;
  let waiting: (() => void) | null = null;
  const wake = (): void => {
    seen = true;
    waiting?.();
  };
  const watcher = tryWatch(folder, (name) => {
    if (only === undefined || name === only) wake();
  });
  return {
    wake,
    watched: watcher !== null,
    next: (ms, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          waiting = null;
          seen = false;
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal?.addEventListener('abort', done);
        waiting = done;
        if (seen || signal?.aborted === true) done();
      }),
    [Symbol.dispose]: () => watcher?.close(),
  };
}

function tryWatch(folder: string | null, tell: (name: string | null) => void): FSWatcher | null {
  if (folder === null) return null;
  try {
    const watcher = watch(folder, (_, name) => tell(name));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
