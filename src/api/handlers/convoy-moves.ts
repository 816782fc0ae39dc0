import type { Problem } from '../../contract/problem.ts';
import {
  cancelConvoy,
  closeConvoy,
  editConvoy,
  pauseConvoy,
  resumeConvoy,
  unwatchConvoy,
  watchConvoy,
} from '../../contract/routes/convoys.ts';
import type { Convoy } from '../../domain/convoy/convoy.ts';
import { decideConvoy } from '../../domain/convoy/decide.ts';
import type { ConvoyCommand } from '../../domain/convoy/events.ts';
import type { Change } from '../../domain/merge/change.ts';
import { decideChange } from '../../domain/merge/decide-change.ts';
import { decideTask } from '../../domain/work/decide.ts';
import { isTerminal } from '../../domain/work/task.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { voidApprovalsOf } from '../../ledger/approvals.ts';
import { changesOfConvoy } from '../../ledger/queries/changes.ts';
import { convoyMembers } from '../../ledger/queries/convoy-members.ts';
import { tasksById } from '../../ledger/queries/task-list.ts';
import { rollUp } from '../../ledger/roll-up.ts';
import { withdrawChanges } from '../../ledger/withdraw.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { writes } from '../context.ts';
import { findConvoy } from '../find.ts';
import { optionsFor } from '../options.ts';
import { convoyProblem, refused } from '../problems.ts';
import { convoyView } from '../view/convoy-view.ts';

/** Decides and records one command; what happens when the convoy says no is the same everywhere. */
export async function moveConvoy(
  tx: Tx,
  convoy: Convoy,
  command: ConvoyCommand,
): Promise<Result<Convoy, Problem>> {
  const decision = decideConvoy(convoy, command);
  if (!decision.ok) return err(convoyProblem(convoy.id, decision.error));
  if (decision.value.length === 0) return ok(convoy);
  return ok(await tx.record(convoyAggregate, convoy.id, decision.value));
}

export const convoyPause = writes(pauseConvoy, async ({ params, body }, tx) => {
  const found = await findConvoy(tx.db, params.id);
  if (!found.ok) return found;
  const reason = body.reason ?? 'paused by hand';
  const moved = await moveConvoy(tx, found.value, { type: 'pause', reason });
  return moved.ok ? ok({ convoy: await convoyView(tx.db, moved.value) }) : moved;
});

export const convoyResume = writes(resumeConvoy, async ({ params }, tx) => {
  const found = await findConvoy(tx.db, params.id);
  if (!found.ok) return found;
  const moved = await moveConvoy(tx, found.value, { type: 'resume' });
  return moved.ok ? ok({ convoy: await convoyView(tx.db, moved.value) }) : moved;
});

export const convoyEdit = writes(editConvoy, async ({ params, body }, tx, services) => {
  const found = await findConvoy(tx.db, params.id);
  if (!found.ok) return found;
  const { title, ...rest } = body;
  const options = optionsFor(services, rest);
  if (!options.ok) return options;
  const moved = await moveConvoy(tx, found.value, {
    type: 'edit',
    title: title ?? null,
    options: options.value,
  });
  return moved.ok ? ok({ convoy: await convoyView(tx.db, moved.value) }) : moved;
});

/** Closes a convoy whose work is done; with force it is given up instead, and says so. */
export const convoyClose = writes(closeConvoy, async ({ params, body }, tx) => {
  const found = await findConvoy(tx.db, params.id);
  if (!found.ok) return found;
  const convoy = found.value;
  if (convoy.status === 'closed' || (convoy.status === 'cancelled' && body.force))
    return ok({ convoy: await convoyView(tx.db, convoy) });
  if (body.force) return giveUp(tx, convoy, body.reason ?? 'closed by force', body.close_prs);
  const open = await openMembers(tx, convoy);
  if (open.length > 0)
    return refused(
      'open_tasks',
      `${convoy.id} has open tasks: ${open.slice(0, 10).join(', ')}${open.length > 10 ? ` and ${open.length - 10} more` : ''}.`,
      'Finish, skip or remove them; --force gives the convoy up instead.',
    );
  const reason = body.reason ?? 'closed by hand';
  const moved = await moveConvoy(tx, convoy, { type: 'close', reason });
  return moved.ok ? ok({ convoy: await convoyView(tx.db, moved.value) }) : moved;
});

export const convoyCancel = writes(cancelConvoy, async ({ params, body }, tx) => {
  const found = await findConvoy(tx.db, params.id);
  return found.ok
    ? giveUp(tx, found.value, body.reason ?? 'cancelled by hand', body.close_prs)
    : found;
});

async function openMembers(tx: Tx, convoy: Convoy): Promise<string[]> {
  const tasks = await tasksById(tx.db, await convoyMembers(tx.db, convoy.id));
  return tasks
    .filter(({ status }) => !isTerminal(status) || status === 'failed')
    .map(({ id }) => id);
}

/** Cancels the convoy and every task of it that is not finished. */
async function giveUp(
  tx: Tx,
  convoy: Convoy,
  reason: string,
  closePulls: boolean,
): Promise<Result<{ convoy: Awaited<ReturnType<typeof convoyView>> }, Problem>> {
  const moved = await moveConvoy(tx, convoy, { type: 'cancel', reason });
  if (!moved.ok) return moved;
  const changes = await changesOfConvoy(tx.db, convoy.id);
  await withdrawChanges(tx, changes, `${convoy.id}: ${reason}`);
  if (closePulls) await closeOpenPulls(tx, changes, `${convoy.id} was given up: ${reason}`);
  await voidApprovalsOf(tx, convoy.id, `${convoy.id} was given up`);
  for (const id of await openMembers(tx, convoy)) {
    const stored = await tx.load(taskAggregate, id);
    if (stored === null) continue;
    const decision = decideTask(stored.state, {
      type: 'cancel',
      reason: `${convoy.id}: ${reason}`,
    });
    if (!decision.ok) continue;
    await tx.record(taskAggregate, id, decision.value);
    await rollUp(tx, id);
  }
  return ok({ convoy: await convoyView(tx.db, moved.value) });
}

/** Writes down that the pull requests are to be closed; the engine does it. */
async function closeOpenPulls(tx: Tx, changes: readonly Change[], reason: string): Promise<void> {
  for (const { id, status } of changes) {
    if (status === 'merged') continue;
    const stored = await tx.load(changeAggregate, id);
    const decision = decideChange(stored?.state ?? null, { type: 'close-pull', reason, at: tx.at });
    if (decision.ok && decision.value.length > 0)
      await tx.record(changeAggregate, id, decision.value);
  }
}

export const convoyWatch = writes(watchConvoy, async ({ params, body }, tx) => {
  const found = await findConvoy(tx.db, params.id);
  if (!found.ok) return found;
  const already = found.value.watchers.includes(body.name);
  const moved = await moveConvoy(tx, found.value, { type: 'watch', name: body.name });
  return moved.ok ? ok({ convoy: await convoyView(tx.db, moved.value), already }) : moved;
});

export const convoyUnwatch = writes(unwatchConvoy, async ({ params, body }, tx) => {
  const found = await findConvoy(tx.db, params.id);
  if (!found.ok) return found;
  const already = !found.value.watchers.includes(body.name);
  const moved = await moveConvoy(tx, found.value, { type: 'unwatch', name: body.name });
  return moved.ok ? ok({ convoy: await convoyView(tx.db, moved.value), already }) : moved;
});
