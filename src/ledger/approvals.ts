import type {
  Approval,
  ApprovalCommand,
  ApprovalRefusal,
  ApprovalWish,
  Verdict,
} from '../domain/approval/approval.ts';
import { decideApproval } from '../domain/approval/decide-approval.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Ids } from '../ports/ids.ts';
import { approvalAggregate, approvalIn } from './aggregates/approval.ts';
import type { Ledger } from './open.ts';
import type { Tx } from './transaction.ts';

const ID_LENGTH = 5;

/**
 * Asks for a yes. Asking again about the very same thing gives the approval there is, decided or
 * not; when the subject has changed, whatever was said about the old one is void.
 */
export async function requestApproval(tx: Tx, ids: Ids, wish: ApprovalWish): Promise<Approval> {
  await tx.alone(`approval ${wish.subject} ${wish.kind}`);
  const rows = await tx.db
    .selectFrom('approval')
    .select('state')
    .where('subject', '=', wish.subject)
    .where('kind', '=', wish.kind)
    .where('status', '!=', 'void')
    .orderBy('requested_at', 'desc')
    .execute();
  const sameLane = rows.map(approvalIn).filter(({ lane }) => lane === wish.lane);
  const same = sameLane.find(({ subjectHash }) => subjectHash === wish.subjectHash);
  for (const { id } of sameLane.filter(({ status }) => status !== 'rejected'))
    if (id !== same?.id)
      await decided(tx, id, { type: 'void', reason: 'what was shown has changed' });
  if (same !== undefined) return same;
  const id = await freshId(tx, ids);
  return tx.record(approvalAggregate, id, [{ type: 'approval-requested', id, wish, by: tx.actor }]);
}

async function freshId(tx: Tx, ids: Ids): Promise<string> {
  for (;;) {
    const id = `ap-${ids.base36(ID_LENGTH)}`;
    if ((await tx.load(approvalAggregate, id)) === null) return id;
  }
}

export type Said = {
  readonly verdict: Verdict;
  readonly channel: Extract<ApprovalCommand, { type: Verdict }>['channel'];
  readonly reason: string | null;
  readonly subjectHash: string | null;
};

/** Writes down a yes or a no of the transaction's actor. */
export const decideOn = (
  tx: Tx,
  id: string,
  { verdict, ...rest }: Said,
): Promise<Result<Approval, ApprovalRefusal>> =>
  decided(tx, id, { type: verdict, actor: tx.actor, ...rest });

/** Writes down what the transaction's actor says to a question. */
export const answerOn = (
  tx: Tx,
  id: string,
  said: Omit<Extract<ApprovalCommand, { type: 'answer' }>, 'type' | 'actor'>,
): Promise<Result<Approval, ApprovalRefusal>> =>
  decided(tx, id, { type: 'answer', actor: tx.actor, ...said });

/** Takes back every approval of a subject that has ended, also a yes that was not used. */
export async function voidApprovalsOf(tx: Tx, subject: string, reason: string): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('approval')
    .select('id')
    .where('subject', '=', subject)
    .where('status', 'in', ['pending', 'approved'])
    .orderBy('id')
    .execute();
  for (const { id } of rows) await decided(tx, id, { type: 'void', reason });
  return rows.map(({ id }) => id);
}

/** What was asked about exactly this and still counts, decided or not. */
export async function approvalAbout(
  db: Ledger['db'],
  {
    kind,
    subject,
    lane,
    subjectHash,
  }: Pick<ApprovalWish, 'kind' | 'subject' | 'lane' | 'subjectHash'>,
): Promise<Approval | null> {
  const rows = await db
    .selectFrom('approval')
    .select('state')
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where('status', '!=', 'void')
    .execute();
  const about = rows
    .map(approvalIn)
    .find((each) => each.lane === lane && each.subjectHash === subjectHash);
  return about ?? null;
}

/** Takes back a question whose answer no longer matters. */
export async function voidQuestion(
  tx: Tx,
  { kind, subject, lane }: Pick<ApprovalWish, 'kind' | 'subject' | 'lane'>,
  reason: string,
): Promise<void> {
  const rows = await tx.db
    .selectFrom('approval')
    .select('state')
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where('status', '=', 'pending')
    .execute();
  for (const { id, lane: of } of rows.map(approvalIn))
    if (of === lane) await decided(tx, id, { type: 'void', reason });
}

async function decided(
  tx: Tx,
  id: string,
  command: ApprovalCommand,
): Promise<Result<Approval, ApprovalRefusal>> {
  const before = (await tx.load(approvalAggregate, id))?.state ?? null;
  const decision = decideApproval(before, command);
  return decision.ok ? ok(await tx.record(approvalAggregate, id, decision.value)) : decision;
}

/** Waits until an approval is no longer pending, or the signal aborts; then says what it is. */
export async function awaitDecision(
  { db, changes }: Pick<Ledger, 'db' | 'changes'>,
  id: string,
  signal: AbortSignal,
): Promise<Approval | null> {
  for (;;) {
    // Asked before reading: a change between the two wakes us at once.
    const stop = new AbortController();
    const change = changes.next(AbortSignal.any([signal, stop.signal]));
    const approval = (await approvalAggregate.load(db, id))?.state ?? null;
    if (approval?.status !== 'pending' || signal.aborted) {
      stop.abort();
      return approval;
    }
    await change;
  }
}
