import { askInput, awaitInput } from '../../contract/routes/worker.ts';
import type { Approval } from '../../domain/approval/approval.ts';
import { awaitDecision, requestApproval } from '../../ledger/approvals.ts';
import { approvalList } from '../../ledger/queries/approval-list.ts';
import { ok } from '../../lib/result.ts';
import { reads, writes } from '../context.ts';
import { ownApproval, ownAttempt } from '../identity/own-attempt.ts';
import { refused } from '../problems.ts';
import { sha256 } from '../sha256.ts';

/** A person can look at so many questions of one agent at a time. */
const MOST_OPEN = 5;
const LONGEST_SUMMARY = 300;

/** A question to a person. It dies with the attempt, and its agent is not silent while it waits. */
export const workerInputAsk = writes(askInput, async ({ body, identity }, tx, { ids }) => {
  const attempt = await ownAttempt(tx.db, identity);
  if (!attempt.ok) return attempt;
  const { question, choices } = body;
  const { id, task, agent } = attempt.value;
  const subjectHash = await sha256(JSON.stringify([question, choices]));
  const open = await approvalList(tx.db, {
    subject: id,
    status: ['pending'],
    kind: ['input'],
    limit: MOST_OPEN,
  });
  if (open.length === MOST_OPEN && !open.some((other) => other.subjectHash === subjectHash))
    return refused(
      'too_many_questions',
      `${MOST_OPEN} questions of this attempt wait for an answer already.`,
      'Wait for one of them, or go on with what you know.',
    );
  const approval = await requestApproval(tx, ids, {
    kind: 'input',
    subject: id,
    // Another question does not take this one back.
    lane: subjectHash.slice(0, 8),
    subjectHash,
    summary: `${agent} asks in ${task}: ${shortened(question)}`,
    details: { task, attempt: id, question, choices },
  });
  return ok(questionView(approval));
});

export const workerInputShow = reads(
  awaitInput,
  async ({ params, query, identity }, { ledger }) => {
    const asked = await ownApproval(ledger.db, identity, { ...params, kind: 'input' });
    if (!asked.ok) return asked;
    const now = await awaitDecision(ledger, params.id, AbortSignal.timeout(query.wait * 1000));
    return ok(questionView(now ?? asked.value));
  },
);

const shortened = (text: string): string =>
  text.length > LONGEST_SUMMARY ? `${text.slice(0, LONGEST_SUMMARY).toWellFormed()}…` : text;

const STATES = {
  pending: 'pending',
  approved: 'answered',
  rejected: 'declined',
  void: 'void',
} as const;

const questionView = ({ id, status, decision, voided }: Approval) => ({
  question: id,
  status: STATES[status],
  answer: decision?.answer ?? null,
  reason: decision?.reason ?? voided?.reason ?? null,
});
