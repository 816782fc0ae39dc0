import type { Ended, ExecutionState } from '../../ports/executor.ts';
import { isAlive } from './process-table.ts';
import { readClaim, readExit, readPids } from './records.ts';
import { changesIn } from './watch.ts';
import type { Wrappers } from './wrappers.ts';

/**
 * How long to trust that we are told of changes. The end of a run in a wrapper of ours is its word; of an execution
 * that outlived its engine, only its records and the process table tell, and a killed wrapper writes none.
 */
export const lookAgainMs = (isTold: boolean): number => (isTold ? 10_000 : 500);

/** How long the word about an end may take after its record. */
const WORD_MS = 200;

/** What the records of a run and the process table say together. */
export async function findIn(run: string): Promise<ExecutionState> {
  const ended = await exited(run);
  if (ended !== null) return ended;
  const claim = await readClaim(run);
  if (claim === null) return { status: 'absent' };
  if (claim.by === 'stopper') return lost('it was stopped before it ran');
  const pids = await readPids(run);
  const program = pids?.program ?? claim;
  if ((await isAlive(program)) || (await isAlive(claim)))
    return { status: 'running', pid: program.pid, startedAt: pids?.startedAt ?? 0 };
  // It may have ended, in good order, since the first look.
  return (await exited(run)) ?? lost('its processes are gone and none of them recorded the end');
}

/** Waits until the run has ended. */
export async function endOf(wrappers: Wrappers, run: string, signal?: AbortSignal): Promise<Ended> {
  // Its output is in the same folder, and to be told of every write is dear.
  using changes = changesIn(wrappers.isOurs(run) ? null : run, 'exit.json');
  using _end = wrappers.onEnd(run, changes.wake);
  for (;;) {
    signal?.throwIfAborted();
    const state = await findIn(run);
    if (state.status === 'absent') throw new Error(`nothing was started in ${run}`);
    if (state.status === 'exited' || state.status === 'lost') {
      // The record can be seen before the word is heard; whoever starts the next wants this wrapper.
      if (wrappers.isOurs(run)) await changes.next(WORD_MS, signal);
      return state;
    }
    await changes.next(lookAgainMs(wrappers.isOurs(run)), signal);
  }
}

async function exited(run: string): Promise<Ended | null> {
  const record = await readExit(run);
  return record === null ? null : { status: 'exited', ...record };
}

const lost = (because: string): Ended => ({ status: 'lost', because });
