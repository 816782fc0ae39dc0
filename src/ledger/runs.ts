import { decideRun } from '../domain/ship/run/decide-run.ts';
import type { Run, RunCommand, RunRefusal } from '../domain/ship/run/run.ts';
import { ok, type Result } from '../lib/result.ts';
import { runAggregate } from './aggregates/run.ts';
import { leaseHolder } from './lease.ts';
import type { Ledger } from './open.ts';
import { runList } from './queries/runs.ts';
import type { Tx } from './transaction.ts';

/** Who carries a run out holds this lease; it is renewed while it works. */
export const runLease = (id: string): string => `run/${id}`;

/** Carries a command out on a run, or says why it may not be. */
export async function changeRun(
  tx: Tx,
  id: string,
  command: RunCommand,
): Promise<Result<Run, RunRefusal>> {
  const stored = await tx.load(runAggregate, id);
  if (stored === null) throw new Error(`There is no run ${id}`);
  const decided = decideRun(stored.state, command);
  return decided.ok ? ok(await tx.record(runAggregate, id, decided.value)) : decided;
}

/** Says whether the process behind a lease's holder is known to be gone. */
export type IsGone = (holder: string) => boolean;

/** The holder of a run's lease, unless it is gone. */
export async function runOwner(
  { db, engine }: Pick<Ledger, 'db' | 'engine'>,
  id: string,
  isGone: IsGone,
): Promise<string | null> {
  const lease = await leaseHolder(db, engine, runLease(id));
  return lease === null || isGone(lease.holder) ? null : lease.holder;
}

const LOST = 'The process that carried it out is gone; convoy resume goes on from its journal.';

/** Marks runs as interrupted whose process died without a word. */
export async function noticeLostRuns(ledger: Ledger, isGone: IsGone): Promise<readonly string[]> {
  const atWork = await runList(ledger.db, { status: ['running', 'rolling_back'], limit: 1000 });
  const lost: string[] = [];
  for (const { id } of atWork) {
    if ((await runOwner(ledger, id, isGone)) !== null) continue;
    await ledger.write('engine', async (tx) => {
      const now = await tx.load(runAggregate, id);
      const working = now?.state.status === 'running' || now?.state.status === 'rolling_back';
      return working
        ? changeRun(tx, id, { type: 'rest', status: 'interrupted', reason: LOST })
        : ok(null);
    });
    lost.push(id);
  }
  return lost;
}
