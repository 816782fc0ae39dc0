import { type FSWatcher, watch } from 'node:fs';

/** Tells when something in a folder changes. A change between two waits ends the second at once. */
export interface Changes extends Disposable {
  /** Resolves at the next change, at the latest after `ms`: where watching fails, that is all there is. */
  next(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Watches a folder, or one file name in it, from now on. */
export function changesIn(folder: string, only?: string): Changes {
  let seen = false;
  let wake: (() => void) | null = null;
  const watcher = tryWatch(folder, (name) => {
    if (only !== undefined && name !== only) return;
    seen = true;
    wake?.();
  });
  return {
    next: (ms, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          wake = null;
          seen = false;
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal?.addEventListener('abort', done);
        wake = done;
        if (seen || signal?.aborted === true) done();
      }),
    [Symbol.dispose]: () => watcher?.close(),
  };
}

function tryWatch(folder: string, tell: (name: string | null) => void): FSWatcher | null {
  try {
    const watcher = watch(folder, (_, name) => tell(name));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
