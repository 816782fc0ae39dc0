import type { Problem } from '../../contract/problem.ts';
import { checkpoint, done, escalate, prime } from '../../contract/routes/worker.ts';
import type { Identity } from '../../domain/identity/identity.ts';
import {
  type Attempt,
  type AttemptCommand,
  decideAttempt,
  isLive,
} from '../../domain/work/attempt.ts';
import { attemptAggregate } from '../../ledger/aggregates/attempt.ts';
import { attemptsOf } from '../../ledger/queries/attempts.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { ok, type Result } from '../../lib/result.ts';
import { reads, type Services, writes } from '../context.ts';
import { conflict, invalid, refused } from '../problems.ts';
import { showOne } from './task-show.ts';

const SUBJECT = 'attempt:';

/** The attempt a token is good for. Only an agent has one: not even the operator can speak for it. */
async function ownAttempt(
  db: Services['ledger']['db'],
  { subject }: Identity,
): Promise<Result<Attempt, Problem>> {
  if (subject === null || !subject.startsWith(SUBJECT))
    return invalid(
      'no_attempt',
      'Only an agent inside an attempt can say this.',
      'CONVOY_TOKEN of the attempt says who speaks.',
    );
  const stored = await attemptAggregate.load(db, subject.slice(SUBJECT.length));
  if (stored === null) return invalid('no_attempt', 'The attempt is gone.', 'Stop working.');
  if (!isLive(stored.state.status))
    return conflict(
      'attempt_over',
      `This attempt is ${stored.state.status}; what it says now does not count.`,
      'Stop working: another attempt may have taken over.',
    );
  return ok(stored.state);
}

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
