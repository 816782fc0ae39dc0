import type { Change } from '../../domain/merge/change.ts';
import { isOverdue, openConflict } from '../../domain/merge/conflict-age.ts';
import { decideChange } from '../../domain/merge/decide-change.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { changesOf, conflictsOfLiveConvoys } from '../../ledger/queries/changes.ts';
import { err, ok } from '../../lib/result.ts';
import { ENGINE, type World } from '../world.ts';

/** Tells of conflicts that nobody resolved in time; returns how long until the next one is due. */
export async function ageConflicts(world: World, limitMs: number): Promise<number | null> {
  const tasks = new Set((await conflictsOfLiveConvoys(world.ledger.db)).map(({ task }) => task));
  let due: number | null = null;
  for (const task of tasks) {
    const conflict = openConflict(await changesOf(world.ledger.db, task));
    if (conflict === null || conflict.escalated || !(await isWanted(world, conflict.change)))
      continue;
    const limit = { now: world.now(), limitMs };
    if (isOverdue(conflict, limit)) await escalate(world, conflict.change, conflict.since);
    else due = Math.min(due ?? Infinity, conflict.since + limitMs - limit.now);
  }
  return due;
}

/** A landing's conflict lives as long as its convoy; a task's as long as somebody may work on it. */
async function isWanted(world: World, { task, landing }: Change): Promise<boolean> {
  if (landing === true) return true;
  const stored = await taskAggregate.load(world.ledger.db, task);
  return stored?.state.status === 'open' || stored?.state.status === 'in_progress';
}

async function escalate(world: World, { id }: Change, since: number): Promise<void> {
  await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(changeAggregate, id);
    const decision = decideChange(stored?.state ?? null, {
      type: 'escalate-conflict',
      since,
      at: tx.at,
    });
    if (!decision.ok || decision.value.length === 0) return err('moved on');
    await tx.record(changeAggregate, id, decision.value);
    return ok(null);
  });
}
