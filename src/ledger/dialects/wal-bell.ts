import { type FSWatcher, watch } from 'node:fs';

/** Rings when a file was written to, by whichever process of this machine. */
export type Bell = { readonly close: () => void };

export type HangBell = (file: string, ring: () => void, broken: () => void) => Bell | null;

/**
 * A bell at SQLite's write-ahead log; null where the system has none to give, as when its watches
 * are used up. It does not keep the process alive.
 */
export const walBell: HangBell = (file, ring, broken) => {
  let watcher: FSWatcher;
  try {
    watcher = watch(`${file}-wal`, { persistent: false });
  } catch {
    return null;
  }
  // Another event than a change: the log is no longer the file that was watched.
  watcher.on('change', (what) => (what === 'change' ? ring() : broken()));
  watcher.on('error', broken);
  return { close: () => watcher.close() };
};
