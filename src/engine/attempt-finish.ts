import { type Attempt, type Cost, decideAttempt, isLive } from '../domain/work/attempt.ts';
import { decideTask } from '../domain/work/decide.ts';
import { retryDelay } from '../domain/work/dispatch.ts';
import { changeId } from '../domain/work/ids.ts';
import type { TaskCommand } from '../domain/work/commands.ts';
import { attemptAggregate } from '../ledger/aggregates/attempt.ts';
import { changeAggregate } from '../ledger/aggregates/change.ts';
import { convoyAggregate } from '../ledger/aggregates/convoy.ts';
import { taskAggregate } from '../ledger/aggregates/task.ts';
import { voidApprovalsOf } from '../ledger/approvals.ts';
import { rollUp } from '../ledger/roll-up.ts';
import type { Tx } from '../ledger/transaction.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { AttemptEnd, Doubt, Transcript } from '../ports/agent.ts';
import type { Ended } from '../ports/executor.ts';
import { costOf } from './attempt-guard.ts';
import type { Ending } from './attempt-watch.ts';
import { crashPoint } from './crash-points.ts';
import { announce } from './crowd.ts';
import { type Harvest, harvest } from './harvest.ts';
import { noteMisdeeds, noteStrays, refusedOutside } from './misdeeds.ts';
import { branchMoved } from './remote/want-branch.ts';
import { repositoryOf } from './targets.ts';
import { ENGINE, type World } from './world.ts';

/** What is known about an attempt whose process is over. */
export type Finished =
  | { readonly kind: 'never-started'; readonly reason: string }
  | {
      readonly kind: 'ended';
      readonly ending: Ending;
      readonly end: Ended;
      readonly transcript: Transcript;
      readonly judged: AttemptEnd;
    };

/**
 * Decides from the process, the transcript and git what an attempt came to, and records it. Its worktree
 * goes back once `clear` has seen to it that nothing works there any more.
 */
export async function finishAttempt(
  world: World,
  attempt: Attempt,
  finished: Finished,
  clear: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const stored = await attemptAggregate.load(world.ledger.db, attempt.id);
  if (stored === null) return;
  // Another engine has ended it while this one stood still, perhaps in the middle of making its worktree.
  if (!isLive(stored.state.status)) return giveBack(world, stored.state);
  const now = stored.state;
  using coming = wasGood(finished) ? announce(world, now) : null;
  const got = await harvest(world, now, wasGood(finished));
  crashPoint('work-harvested');
  const verdict = verdictOf(now, finished, got);
  const learnt = learntFrom(finished);
  const refused = refusedOutside(finished.kind === 'ended' ? finished.transcript : null);
  await world.ledger.write(ENGINE, async (tx) => {
    const settled = await settle(world, tx, now, verdict, learnt);
    if (!settled.ok) world.log(`${now.id}: ${settled.error}`);
    else if (verdict.kind === 'submit')
      await branchMoved(world, tx, { ...now, commit: verdict.head });
    await noteMisdeeds(tx, now.id, refused);
    await world.revokeTokens(tx, now.id);
    // A question of an agent that is gone needs no answer.
    await voidApprovalsOf(tx, now.id, 'the attempt is over');
    return ok(null);
  });
  coming?.[Symbol.dispose]();
  crashPoint('attempt-recorded');
  await clear();
  await giveBack(world, now);
  crashPoint('worktree-released');
  await noteStrays(world, now);
}

const wasGood = (finished: Finished): boolean =>
  finished.kind === 'ended' && endedWell(finished.ending) && finished.judged.kind === 'finished';

/** By its own exit, or after it said that it is through. */
const endedWell = (
  ending: Ending,
): ending is Extract<Ending, { kind: 'by-itself' | 'said-done' }> =>
  ending.kind === 'by-itself' || ending.kind === 'said-done';

type Verdict =
  | { readonly kind: 'submit'; readonly head: string; readonly base: string }
  | { readonly kind: 'no-code'; readonly reason: string }
  | {
      readonly kind: 'later';
      readonly as: 'failed' | 'stopped';
      readonly reason: string;
      readonly head: string | null;
    }
  | {
      readonly kind: 'failed';
      readonly as: 'failed' | 'stopped' | 'lost';
      readonly reason: string;
      readonly head: string | null;
    };

function verdictOf(attempt: Attempt, finished: Finished, got: Harvest): Verdict {
  const failed = (reason: string, as: 'failed' | 'stopped' | 'lost' = 'failed'): Verdict => ({
    kind: 'failed',
    as,
    reason,
    head: got.head,
  });
  if (finished.kind === 'never-started') return failed(finished.reason);
  const { ending, end, judged } = finished;
  if (ending.kind === 'interrupted')
    return { kind: 'later', as: 'stopped', reason: 'interrupted', head: got.head };
  // Not the agent's fault: its work is kept and it is not counted as a try.
  if (ending.kind === 'over-budget')
    return {
      kind: 'later',
      as: 'stopped',
      reason: `the budget is spent: ${ending.spent}`,
      head: got.head,
    };
  if (!endedWell(ending)) return failed(stoppedBecause(ending), 'stopped');
  if (end.status === 'lost' && ending.kind === 'by-itself') return failed(end.because, 'lost');
  if (judged.kind === 'later')
    return { kind: 'later', as: 'failed', reason: judged.message, head: got.head };
  if (judged.kind === 'failed') return failed(judged.message);
  return workOf(attempt, got) ?? failed(noChange(judged.doubts, got.problem));
}

/** What git says there is, when the agent ended well. */
function workOf(attempt: Attempt, got: Harvest): Verdict | null {
  if (attempt.noCode !== null && got.ahead === 0)
    return { kind: 'no-code', reason: attempt.noCode };
  if (got.problem !== null || got.ahead === 0 || got.head === null || got.base === null)
    return null;
  return { kind: 'submit', head: got.head, base: got.base };
}

function noChange(doubts: readonly Doubt[], problem: string | null): string {
  if (problem !== null) return problem;
  const because = doubts.map(({ message }) => message).join('; ');
  return because === '' ? 'no change' : `no change: ${because}`;
}

function stoppedBecause(
  ending: Exclude<Ending, { kind: 'by-itself' | 'said-done' | 'interrupted' | 'over-budget' }>,
): string {
  if (ending.kind === 'asked') return ending.reason;
  const seconds = Math.round(ending.limitMs / 1000);
  return ending.kind === 'over-time'
    ? `it ran longer than ${seconds} s`
    : `it was silent for ${seconds} s`;
}

/** What the output told besides the work. */
type Learnt = { readonly cost: Cost; readonly session: string | null };

function learntFrom(finished: Finished): Learnt {
  if (finished.kind === 'never-started') return { cost: { usd: 0, tokens: 0 }, session: null };
  return { cost: costOf(finished.transcript), session: finished.transcript.session };
}

/** Attempt, task and change move together or not at all. */
async function settle(
  world: World,
  tx: Tx,
  attempt: Attempt,
  verdict: Verdict,
  { cost, session }: Learnt,
): Promise<Result<null, string>> {
  if (verdict.kind === 'submit') return submit(tx, attempt, verdict, { cost, session });
  if (verdict.kind === 'no-code') {
    await moveAttempt(tx, attempt, { type: 'finish', change: null, session, cost });
    // The task goes back first: closing is for tasks that nobody holds.
    await moveTask(tx, attempt, giveBackNow(attempt, verdict.reason, null));
    return moveTask(tx, attempt, { type: 'close', outcome: verdict.reason });
  }
  const { as, reason, head } = verdict;
  await moveAttempt(tx, attempt, { type: 'end', as, reason, head, session, cost });
  return retryOrFail(world, tx, attempt, verdict);
}

async function submit(
  tx: Tx,
  attempt: Attempt,
  verdict: { head: string; base: string },
  { cost, session }: Learnt,
): Promise<Result<null, string>> {
  const stored = await tx.load(taskAggregate, attempt.task);
  if (stored === null) return err('the task is gone');
  const change = changeId(`ch-${attempt.id.slice(3)}`);
  const decision = decideTask(stored.state, { type: 'submit', attempt: attempt.id, change });
  if (!decision.ok) {
    await moveAttempt(tx, attempt, {
      type: 'end',
      as: 'stopped',
      reason: `the task moved on: ${decision.error.kind}`,
      head: verdict.head,
      session,
      cost,
    });
    return err(`${attempt.task} moved on`);
  }
  await moveAttempt(tx, attempt, { type: 'submit', head: verdict.head });
  await tx.record(changeAggregate, change, [
    {
      type: 'change-enqueued',
      at: tx.at,
      change: {
        id: change,
        task: attempt.task,
        attempt: attempt.id,
        convoy: attempt.convoy,
        repo: attempt.repo,
        target: attempt.target,
        head: verdict.head,
        base: verdict.base,
        priority: stored.state.priority,
        enqueuedAt: tx.at,
        movedTo: null,
      },
    },
  ]);
  await moveAttempt(tx, attempt, { type: 'finish', change, session, cost });
  await tx.record(taskAggregate, attempt.task, decision.value);
  return ok(null);
}

async function retryOrFail(
  world: World,
  tx: Tx,
  attempt: Attempt,
  verdict: Extract<Verdict, { kind: 'later' | 'failed' }>,
): Promise<Result<null, string>> {
  const stored = await tx.load(taskAggregate, attempt.task);
  const settings = world.settings.read();
  if (stored === null || !settings.ok) return err('nothing to go by');
  const { attempts: budget, backoffMs } = settings.value.workspace;
  const { attempts } = stored.state;
  if (verdict.kind === 'failed' && attempts >= budget) {
    const reason = `${attempts} of ${budget} attempts failed; the last: ${verdict.reason}`;
    return moveTask(tx, attempt, { type: 'fail', reason, attempt: attempt.id });
  }
  const isLater = verdict.kind === 'later';
  const tries = isLater ? attempt.number : attempts;
  const retryAt = tx.at + retryDelay(backoffMs, tries, world.chance());
  return moveTask(tx, attempt, {
    ...giveBackNow(attempt, verdict.reason, retryAt),
    ...(isLater ? { uncounted: true } : {}),
  });
}

const giveBackNow = (
  attempt: Attempt,
  reason: string,
  retryAt: number | null,
): Extract<TaskCommand, { type: 'give-back' }> => ({
  type: 'give-back',
  attempt: attempt.id,
  reason,
  retryAt,
});

async function moveAttempt(
  tx: Tx,
  attempt: Attempt,
  command: Parameters<typeof decideAttempt>[1],
): Promise<void> {
  const stored = await tx.load(attemptAggregate, attempt.id);
  const decision = stored === null ? null : decideAttempt(stored.state, command);
  if (decision?.ok === true) await tx.record(attemptAggregate, attempt.id, decision.value);
}

/** A task that moved on meanwhile (cancelled, reopened) is left as it is: late news do not count. */
async function moveTask(
  tx: Tx,
  attempt: Attempt,
  command: TaskCommand,
): Promise<Result<null, string>> {
  const stored = await tx.load(taskAggregate, attempt.task);
  if (stored === null) return err('the task is gone');
  const decision = decideTask(stored.state, command);
  if (!decision.ok) return err(`${attempt.task}: ${decision.error.kind}`);
  await tx.record(taskAggregate, attempt.task, decision.value);
  await rollUp(tx, attempt.task);
  return ok(null);
}

/** The worktree goes back to the pool, unless somebody wants to look at it; its branch and commits stay. */
async function giveBack(world: World, attempt: Attempt): Promise<void> {
  const convoy = await convoyAggregate.load(world.ledger.db, attempt.convoy);
  if (convoy?.state.keepWorktrees === true) return;
  const settings = world.settings.read();
  if (!settings.ok) return;
  const repository = await repositoryOf(world, settings.value.repos[attempt.repo]);
  if (repository.ok) await repository.value.worktrees.release(attempt.id);
}
