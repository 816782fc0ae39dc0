import { hasEnded } from '../../domain/convoy/convoy.ts';
import type { Change } from '../../domain/merge/change.ts';
import { decideChange } from '../../domain/merge/decide-change.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { err, ok } from '../../lib/result.ts';
import { ENGINE, type World } from '../world.ts';

/** Takes changes out of the queue whose task or convoy no longer wants them; says what is left. */
export async function withdrawUnwanted(world: World, open: readonly Change[]): Promise<Change[]> {
  const wanted: Change[] = [];
  for (const change of open) {
    const reason = await unwantedBecause(world, change);
    if (reason === null) wanted.push(change);
    else await withdraw(world, change, reason);
  }
  return wanted;
}

async function unwantedBecause(world: World, change: Change): Promise<string | null> {
  const { db } = world.ledger;
  if (change.landing === true) {
    const convoy = await convoyAggregate.load(db, change.convoy ?? '');
    return convoy !== null && hasEnded(convoy.state.status)
      ? `the convoy is ${convoy.state.status}`
      : null;
  }
  const task = await taskAggregate.load(db, change.task);
  if (task === null) return 'the task is gone';
  const { state } = task;
  if (state.status === 'submitted')
    return state.change === change.id ? null : 'a later change took its place';
  // A landing that was not recorded yet may have moved the task already.
  return state.status === 'merged' ? null : `the task is ${state.status}`;
}

export async function withdraw(world: World, change: Change, reason: string): Promise<void> {
  await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(changeAggregate, change.id);
    const decision = decideChange(stored?.state ?? null, { type: 'withdraw', reason, at: tx.at });
    if (!decision.ok) return err('moved on');
    await tx.record(changeAggregate, change.id, decision.value);
    return ok(null);
  });
}
