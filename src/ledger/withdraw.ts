import { type Change, isInQueue } from '../domain/merge/change.ts';
import { decideChange } from '../domain/merge/decide-change.ts';
import { changeAggregate } from './aggregates/change.ts';
import type { Tx } from './transaction.ts';

/** Takes changes out of their queue for good; branches and commits stay. */
export async function withdrawChanges(
  tx: Tx,
  changes: readonly Change[],
  reason: string,
): Promise<string[]> {
  const withdrawn: string[] = [];
  for (const { id, status } of changes) {
    if (!isInQueue(status)) continue;
    const stored = await tx.load(changeAggregate, id);
    const decision = decideChange(stored?.state ?? null, { type: 'withdraw', reason, at: tx.at });
    if (!decision.ok) continue;
    await tx.record(changeAggregate, id, decision.value);
    withdrawn.push(id);
  }
  return withdrawn;
}
