import type { Result } from '../../lib/result.ts';
import type { Tx } from '../../ledger/transaction.ts';
import type { Settings } from '../../ports/settings.ts';
import { ENGINE, type World } from '../world.ts';

/** What the work on remotes goes by; the memory can be lost without harm. */
export type Publishing = {
  readonly world: World;
  readonly settings: Settings;
  readonly memory: RemoteMemory;
};

export type RemoteMemory = {
  /** Repos whose remote gave no answer, and branches that it would not take, until they are tried again. */
  readonly origins: Map<string, Wait>;
  readonly branches: Map<string, Wait>;
  /** Convoys whose branch is not settled, until they are looked at again. */
  readonly convoys: Map<string, Wait>;
  /** Counts exchanges with remotes. */
  pushes: number;
  /** The engine is gone: whatever still comes back is not recorded. */
  retired: boolean;
};

/** By the monotonic clock. */
export type Wait = { readonly tries: number; readonly until: number };

export const noRemotes = (): RemoteMemory => ({
  origins: new Map(),
  branches: new Map(),
  convoys: new Map(),
  pushes: 0,
  retired: false,
});

const LONGEST_WAIT_MS = 300_000;

/** Each failure in a row waits twice as long as the one before; says how many there were. */
export function waitLonger(
  { world, settings }: Publishing,
  waits: Map<string, Wait>,
  key: string,
): number {
  const tries = (waits.get(key)?.tries ?? 0) + 1;
  const ms = Math.min(LONGEST_WAIT_MS, settings.workspace.backoffMs * 2 ** (tries - 1));
  waits.set(key, { tries, until: world.timers.monotonic() + ms });
  return tries;
}

export const isDue = ({ world }: Publishing, wait: Wait | undefined): boolean =>
  wait === undefined || wait.until <= world.timers.monotonic();

/** Records, unless this engine is over. */
export async function recordAs<T, E>(
  { world, memory }: Publishing,
  work: (tx: Tx) => Promise<Result<T, E>>,
): Promise<void> {
  if (!memory.retired) await world.ledger.write(ENGINE, work);
}
