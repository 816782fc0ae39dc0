import type { Problem } from '../../contract/problem.ts';
import {
  answer,
  approve,
  listApprovals,
  reject,
  showApproval,
} from '../../contract/routes/approvals.ts';
import type { ApprovalRefusal, Decision, Verdict } from '../../domain/approval/approval.ts';
import { answerOn, decideOn } from '../../ledger/approvals.ts';
import { approvalList } from '../../ledger/queries/approval-list.ts';
import { err, ok } from '../../lib/result.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { type Handler, reads, writes } from '../context.ts';
import { cursorOf, readCursor } from '../cursor.ts';
import { findApproval } from '../find.ts';
import { approvalView } from '../view/approval-view.ts';

/** What waits for a yes, the longest waiting first. */
export const approvalsList = reads(listApprovals, async ({ query }, { ledger }) => {
  const after = readCursor(query.cursor);
  if (!after.ok) return after;
  const found = await approvalList(ledger.db, {
    status: query.status ?? (query.all === true ? undefined : ['pending']),
    kind: query.kind,
    subject: query.subject,
    after: after.value,
    limit: query.limit + 1,
  });
  const page = found.slice(0, query.limit);
  const last = page.at(-1);
  return ok({
    approvals: page.map(approvalView),
    next:
      found.length > query.limit && last !== undefined
        ? cursorOf({ createdAt: last.requestedAt, id: last.id })
        : null,
  });
});

export const approvalShow = reads(showApproval, async ({ params }, { ledger }) => {
  const found = await findApproval(ledger.db, params.id);
  return found.ok ? ok({ approval: approvalView(found.value) }) : found;
});

export const approvalApprove = deciding(approve, 'approve');
export const approvalReject = deciding(reject, 'reject');

function deciding(route: typeof approve, verdict: Verdict): Handler {
  return writes(route, async ({ params, body, identity }, tx) => {
    const found = await findApproval(tx.db, params.id);
    if (!found.ok) return found;
    const { id } = found.value;
    await tx.alone(`decide ${id}`);
    const decided = await decideOn(tx, id, {
      verdict,
      // A cookie is only ever held by the dashboard, whatever the request says.
      channel: identity.by === 'session' ? 'web' : body.channel,
      reason: body.reason ?? null,
      subjectHash: body.subject_hash ?? null,
    });
    return decided.ok
      ? ok({ approval: approvalView(decided.value) })
      : err(approvalProblem(id, decided.error));
  });
}

export const approvalAnswer = writes(answer, async ({ params, body, identity }, tx) => {
  const found = await findApproval(tx.db, params.id);
  if (!found.ok) return found;
  const { id } = found.value;
  await tx.alone(`decide ${id}`);
  const decided = await answerOn(tx, id, {
    answer: body.answer,
    channel: identity.by === 'session' ? 'web' : body.channel,
    subjectHash: body.subject_hash ?? null,
  });
  return decided.ok
    ? ok({ approval: approvalView(decided.value) })
    : err(approvalProblem(id, decided.error));
});

function approvalProblem(id: string, refusal: ApprovalRefusal): Problem {
  const conflict = (code: string, message: string, remedy: string): Problem => ({
    kind: 'conflict',
    code,
    message,
    remedy,
    ids: [id],
  });
  switch (refusal.kind) {
    case 'unknown-approval':
      return {
        kind: 'not_found',
        code: 'approval_not_found',
        message: `There is no approval ${id}.`,
        remedy: 'convoy approvals shows what waits.',
      };
    case 'subject-changed':
      return conflict(
        'subject_changed',
        `What ${id} is about has changed since you saw it.`,
        `Look at it again: convoy approvals --json; it is ${refusal.current} now.`,
      );
    case 'already-decided':
      return conflict(
        'already_decided',
        `${id} was ${decidedWord(refusal.decision)} by ${refusal.decision.actor}.`,
        'A decision is final; what comes after it can be paused or rolled back.',
      );
    case 'is-void':
      return conflict(
        'approval_void',
        `${id} no longer counts: ${refusal.reason}.`,
        'convoy approvals shows what waits instead.',
      );
    case 'needs-answer':
      return conflict(
        'needs_answer',
        `${id} is a question: a yes says nothing to it.`,
        `convoy answer ${id} "…", or convoy reject ${id} to leave it to the agent.`,
      );
    case 'no-question':
      return conflict(
        'no_question',
        `${id} asks for a yes or a no.`,
        `convoy approve ${id}, or convoy reject ${id}.`,
      );
    default:
      return unreachable(refusal);
  }
}

function decidedWord({ verdict, answer: words }: Decision): string {
  if (verdict === 'reject') return 'rejected';
  return words === undefined ? 'approved' : 'answered';
}
