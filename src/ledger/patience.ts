import { setTimeout as pause } from 'node:timers/promises';

const LONGEST_WAIT_MS = 60_000;
const LONGEST_PAUSE_MS = 200;

/** Runs a statement again while another process holds the ledger, with jitter, for up to a minute. */
export async function patiently<T>(statement: () => T): Promise<T> {
  const start = performance.now();
  for (let round = 0; ; round++) {
    try {
      return statement();
    } catch (error) {
      if (!isBusy(error) || performance.now() - start > LONGEST_WAIT_MS) throw error;
      const most = Math.min(LONGEST_PAUSE_MS, 5 * 2 ** Math.min(round, 10));
      await pause(Math.random() * most);
    }
  }
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  const primary = Number(error.errcode) & 0xff;
  return primary === SQLITE_BUSY || primary === SQLITE_LOCKED;
}
