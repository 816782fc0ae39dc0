import type { ChangeCommand } from '../../domain/merge/change.ts';
import { decideChange } from '../../domain/merge/decide-change.ts';
import { queueId } from '../../domain/merge/queue.ts';
import { type QueueStep, stackKey } from '../../domain/merge/queue-view.ts';
import { decideTask } from '../../domain/work/decide.ts';
import type { ChangeId } from '../../domain/work/ids.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { queueAggregate } from '../../ledger/aggregates/queue.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { rollUp } from '../../ledger/roll-up.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok } from '../../lib/result.ts';
import { ENGINE } from '../world.ts';
import { redBecause } from './answers.ts';
import type { Seen } from './look.ts';
import type { Place } from './queue-run.ts';

/** Takes a change that fails alone on the exact head out of the queue, and asks for rework. */
export async function ejectChange(
  place: Place,
  seen: Seen,
  step: Extract<QueueStep, { do: 'eject' }>,
): Promise<boolean> {
  const { world, repo, target, memory } = place;
  const lone = memory.stacks.get(stackKey(seen.view.head.commit, [step.id]));
  const onto = seen.view.head.commit;
  const tree = lone?.tree ?? '';
  const why = step.because === 'red' ? await redBecause(world.ledger.db, repo, tree) : null;
  const paths = lone?.conflicts.get(step.id) ?? [];
  const ejected = await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(changeAggregate, step.id);
    const command: ChangeCommand =
      why === null
        ? { type: 'reject-conflict', conflict: { onto, paths }, at: tx.at }
        : { type: 'reject-red', failure: { onto, tree, ...why }, at: tx.at };
    const decision = decideChange(stored?.state ?? null, command);
    if (!decision.ok || stored === null) return err('moved on');
    await tx.record(changeAggregate, step.id, decision.value);
    if (why !== null)
      await tx.record(queueAggregate, queueId(repo, target), [
        { type: 'queue-counted', merged: 0, red: 1 },
      ]);
    if (stored.state.landing !== true) {
      const reason =
        why === null
          ? `it conflicts with ${target} in ${paths.join(', ') || 'some files'}`
          : `gate ${why.gate} failed on the merged tree`;
      await rework(place, tx, stored.state.task, step.id, reason);
    }
    return ok(null);
  });
  return ejected.ok;
}

/** Back to open with the reason, or failed when its attempts are spent. */
async function rework(
  { world }: Place,
  tx: Tx,
  task: string,
  change: ChangeId,
  reason: string,
): Promise<void> {
  const stored = await tx.load(taskAggregate, task);
  const settings = world.settings.read();
  if (stored === null || !settings.ok || stored.state.status !== 'submitted') return;
  const budget = settings.value.workspace.attempts;
  const { attempts } = stored.state;
  const decision = decideTask(
    stored.state,
    attempts >= budget
      ? {
          type: 'fail',
          reason: `${attempts} of ${budget} attempts failed; the last: ${reason}`,
          change,
        }
      : { type: 'rework', change, reason },
  );
  if (!decision.ok) return;
  await tx.record(taskAggregate, task, decision.value);
  await rollUp(tx, task);
}
