import type { Change } from '../../domain/merge/change.ts';
import { hasEnded } from '../../domain/convoy/convoy.ts';
import { queueId } from '../../domain/merge/queue.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { openChanges } from '../../ledger/queries/changes.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { withdrawChanges } from '../../ledger/withdraw.ts';
import { ok } from '../../lib/result.ts';
import { ENGINE, type World } from '../world.ts';

/** A change whose task or convoy no longer stands behind it leaves the queue, whatever the cause. */
export async function withdrawOrphans(world: World, repo: string, target: string): Promise<void> {
  const { ledger } = world;
  for (const change of await openChanges(ledger.db, queueId(repo, target))) {
    const seen = await orphanedBy(ledger.db, change);
    if (seen === null) continue;
    await ledger.write(ENGINE, async (tx) => {
      const reason = await orphanedBy(tx.db, change);
      if (reason !== null) await withdrawChanges(tx, [change], reason);
      return ok(null);
    });
  }
}

async function orphanedBy(db: Tx['db'], change: Change): Promise<string | null> {
  if (change.landing === true) {
    const convoy = change.convoy === null ? null : await convoyAggregate.load(db, change.convoy);
    if (convoy === null) return 'its convoy is gone';
    return hasEnded(convoy.state.status) ? `its convoy is ${convoy.state.status}` : null;
  }
  const task = await taskAggregate.load(db, change.task);
  if (task === null) return 'its task is gone';
  if (task.state.status !== 'submitted') return `its task is ${task.state.status}`;
  return task.state.change === change.id ? null : 'its task has a newer change';
}
