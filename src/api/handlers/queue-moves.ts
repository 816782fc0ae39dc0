import type { Problem } from '../../contract/problem.ts';
import { moveChange, rejectChange, retryChange } from '../../contract/routes/queue.ts';
import { decideConvoy } from '../../domain/convoy/decide.ts';
import type { Change, ChangeCommand } from '../../domain/merge/change.ts';
import { decideChange } from '../../domain/merge/decide-change.ts';
import { turnAt } from '../../domain/merge/order.ts';
import { queueId } from '../../domain/merge/queue.ts';
import { decideTask } from '../../domain/work/decide.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { forgetAnswers } from '../../ledger/gate-answers.ts';
import { changesOf } from '../../ledger/queries/changes.ts';
import { orderedQueue } from '../../ledger/queries/queue-order.ts';
import { rollUp } from '../../ledger/roll-up.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { writes } from '../context.ts';
import { refused, taskProblem } from '../problems.ts';
import { detailView } from '../view/queue-view.ts';
import { findChange } from './queue-find.ts';

/** Verifies a change again; what gates said about it before is forgotten. */
export const queueRetry = writes(retryChange, async ({ params }, tx) => {
  const found = await findChange(tx.db, params.id);
  if (!found.ok) return found;
  const change = found.value;
  const moved = await moveTo(tx, change, { type: 'retry', at: tx.at });
  if (!moved.ok) return moved;
  await forgetAnswers(tx.db, change.repo, change.id);
  const back = change.landing === true ? await landAgain(tx, change) : await resubmit(tx, change);
  return back.ok ? ok({ entry: await detailView(tx.db, moved.value, tx.at) }) : back;
});

/** Takes a change out; the next attempt of its task is told why. */
export const queueReject = writes(rejectChange, async ({ params, body }, tx) => {
  const found = await findChange(tx.db, params.id);
  if (!found.ok) return found;
  const change = found.value;
  const reason = body.reason ?? 'rejected by hand';
  const moved = await moveTo(tx, change, { type: 'withdraw', reason, at: tx.at });
  if (!moved.ok) return moved;
  await forgetAnswers(tx.db, change.repo, change.id);
  const task = await tx.load(taskAggregate, change.task);
  const rework =
    task === null ? null : decideTask(task.state, { type: 'rework', change: change.id, reason });
  if (rework?.ok === true) {
    await tx.record(taskAggregate, change.task, rework.value);
    await rollUp(tx, change.task);
  }
  return ok({ entry: await detailView(tx.db, moved.value, tx.at) });
});

export const queueMove = writes(moveChange, async ({ params, body }, tx) => {
  const found = await findChange(tx.db, params.id);
  if (!found.ok) return found;
  const change = found.value;
  const { entries } = await orderedQueue(tx.db, queueId(change.repo, change.target));
  const others = entries.filter(({ id }) => id !== change.id);
  const moved = await moveTo(tx, change, { type: 'move', turn: turnAt(others, body.to - 1) });
  return moved.ok ? ok({ entry: await detailView(tx.db, moved.value, tx.at) }) : moved;
});

async function moveTo(
  tx: Tx,
  change: Change,
  command: ChangeCommand,
): Promise<Result<Change, Problem>> {
  const decision = decideChange(change, command);
  if (decision.ok) return ok(await tx.record(changeAggregate, change.id, decision.value));
  return refused(
    'wrong_state',
    `${change.id} is ${change.status}; ${command.type} is not possible now.`,
    `convoy queue show ${change.id}`,
    [change.id],
  );
}

/** The task stands behind its change again, unless something newer has begun. */
async function resubmit(tx: Tx, change: Change): Promise<Result<null, Problem>> {
  const stored = await tx.load(taskAggregate, change.task);
  if (stored === null || stored.state.status === 'submitted') return newest(tx, change);
  const latest = await newest(tx, change);
  if (!latest.ok) return latest;
  const decision = decideTask(stored.state, {
    type: 'resubmit',
    attempt: change.attempt,
    change: change.id,
  });
  if (!decision.ok) return err(taskProblem(change.task, decision.error));
  await tx.record(taskAggregate, change.task, decision.value);
  await rollUp(tx, change.task);
  return ok(null);
}

async function newest(tx: Tx, change: Change): Promise<Result<null, Problem>> {
  const last = (await changesOf(tx.db, change.task)).at(-1);
  if (last === undefined || last.id === change.id) return ok(null);
  return refused(
    'newer_change',
    `${change.task} has a newer change, ${last.id}; ${change.id} was given up for it.`,
    `convoy queue show ${last.id}`,
    [change.id, last.id],
  );
}

/** A convoy that stalled because of its landing goes on. */
async function landAgain(tx: Tx, change: Change): Promise<Result<null, Problem>> {
  const stored = change.convoy === null ? null : await tx.load(convoyAggregate, change.convoy);
  if (stored === null) return ok(null);
  if (stored.state.status === 'cancelled' || stored.state.status === 'closed')
    return refused(
      'convoy_ended',
      `${stored.state.id} is ${stored.state.status}.`,
      'Stage its tasks again.',
      [stored.state.id],
    );
  const decision =
    stored.state.status === 'stalled' ? decideConvoy(stored.state, { type: 'resume' }) : null;
  if (decision?.ok === true) await tx.record(convoyAggregate, stored.state.id, decision.value);
  return ok(null);
}
