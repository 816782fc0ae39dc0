import type { Problem } from '../../contract/problem.ts';
import {
  askPermission,
  awaitPermission,
  checkpoint,
  done,
  escalate,
  prime,
} from '../../contract/routes/worker.ts';
import type { Approval } from '../../domain/approval/approval.ts';
import { type Attempt, type AttemptCommand, decideAttempt } from '../../domain/work/attempt.ts';
import { attemptAggregate } from '../../ledger/aggregates/attempt.ts';
import { awaitDecision, requestApproval } from '../../ledger/approvals.ts';
import { attemptsOf } from '../../ledger/queries/attempts.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { ok, type Result } from '../../lib/result.ts';
import { reads, writes } from '../context.ts';
import { ownApproval, ownAttempt } from '../identity/own-attempt.ts';
import { conflict, refused } from '../problems.ts';
import { sha256 } from '../sha256.ts';
import { showOne } from './task-show.ts';

export const workerPrime = reads(prime, async ({ identity }, { ledger: { db } }) => {
  const attempt = await ownAttempt(db, identity);
  if (!attempt.ok) return attempt;
  const { id, number, role, branch, base, worktree, task } = attempt.value;
  const earlier = (await attemptsOf(db, task)).filter((other) => other.id !== id);
  return ok({
    attempt: id,
    number,
    role,
    branch,
    base,
    worktree,
    task: await showOne(db, task),
    earlier: earlier.map((other) => ({
      number: other.number,
      status: other.status,
      reason: other.reason,
    })),
  });
});

export const workerDone = writes(done, async ({ body, identity }, tx) => {
  const attempt = await ownAttempt(tx.db, identity);
  if (!attempt.ok) return attempt;
  const { worktree } = attempt.value;
  const { cwd } = body;
  if (cwd !== undefined && worktree !== null && cwd !== worktree && !cwd.startsWith(`${worktree}/`))
    return refused(
      'outside_worktree',
      "That was said outside the attempt's own worktree; nothing was taken from there.",
      `Work in ${worktree} and say it there.`,
    );
  const summary = body.reason ?? '';
  const told = await tell(tx, attempt.value, { type: 'say-done', summary });
  if (!told.ok || !body.no_code) return told;
  return tell(tx, attempt.value, {
    type: 'declare-no-code',
    reason: summary === '' ? 'work without code, declared by its agent' : summary,
  });
});

export const workerCheckpoint = writes(checkpoint, async ({ body, identity }, tx) => {
  const attempt = await ownAttempt(tx.db, identity);
  return attempt.ok
    ? tell(tx, attempt.value, { type: 'note-checkpoint', note: body.note })
    : attempt;
});

export const workerEscalate = writes(escalate, async ({ body, identity }, tx) => {
  const attempt = await ownAttempt(tx.db, identity);
  if (!attempt.ok) return attempt;
  const { severity, text } = body;
  return tell(tx, attempt.value, { type: 'escalate', severity, text });
});

export const workerPermissionAsk = writes(
  askPermission,
  async ({ body, identity }, tx, { ids }) => {
    const attempt = await ownAttempt(tx.db, identity);
    if (!attempt.ok) return attempt;
    const { call, tool, paths, summary } = body;
    const { id, task, agent } = attempt.value;
    const approval = await requestApproval(tx, ids, {
      kind: 'permission',
      subject: id,
      lane: call,
      subjectHash: await sha256(JSON.stringify([tool, paths, summary])),
      summary: `${agent} asks in ${task}: ${summary}`,
      details: { task, attempt: id, tool, paths, summary },
    });
    return ok(permissionView(approval));
  },
);

export const workerPermissionShow = reads(
  awaitPermission,
  async ({ params, query, identity }, { ledger }) => {
    const asked = await ownApproval(ledger.db, identity, { ...params, kind: 'permission' });
    if (!asked.ok) return asked;
    const now = await awaitDecision(ledger, params.id, AbortSignal.timeout(query.wait * 1000));
    return ok(permissionView(now ?? asked.value));
  },
);

const permissionView = ({ id, status, decision, voided }: Approval) => ({
  approval: id,
  status,
  reason: decision?.reason ?? voided?.reason ?? null,
});

async function tell(
  tx: Tx,
  attempt: Attempt,
  command: AttemptCommand,
): Promise<Result<{ attempt: string; task: string }, Problem>> {
  const stored = await tx.load(attemptAggregate, attempt.id);
  const decision = stored === null ? null : decideAttempt(stored.state, command);
  if (decision?.ok !== true)
    return conflict('attempt_over', 'The attempt has moved on.', 'Stop working.');
  await tx.record(attemptAggregate, attempt.id, decision.value);
  return ok({ attempt: attempt.id, task: attempt.task });
}
