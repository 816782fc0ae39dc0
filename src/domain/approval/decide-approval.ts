import { err, ok, type Result } from '../../lib/result.ts';
import type {
  Approval,
  ApprovalCommand,
  ApprovalEvent,
  ApprovalRefusal,
  Decision,
} from './approval.ts';
import { isQuestion } from './approval.ts';

type Outcome = Result<ApprovalEvent[], ApprovalRefusal>;

/** What a command would change about an approval, or why it may not. Saying the same twice is fine. */
export function decideApproval(approval: Approval | null, command: ApprovalCommand): Outcome {
  if (command.type === 'request') return request(approval, command);
  if (approval === null) return err({ kind: 'unknown-approval' });
  if (command.type === 'void') return withdraw(approval, command.reason);
  if (command.type === 'approve' && isQuestion(approval)) return err({ kind: 'needs-answer' });
  if (command.type === 'answer' && !isQuestion(approval)) return err({ kind: 'no-question' });
  return decide(approval, command);
}

function request(
  approval: Approval | null,
  { id, wish, by }: Extract<ApprovalCommand, { type: 'request' }>,
): Outcome {
  if (approval === null) return ok([{ type: 'approval-requested', id, wish, by }]);
  if (approval.voided !== null) return err({ kind: 'is-void', reason: approval.voided.reason });
  return wish.subjectHash === approval.subjectHash
    ? ok([])
    : err({ kind: 'subject-changed', current: approval.subjectHash });
}

type Said = Exclude<ApprovalCommand, { type: 'request' | 'void' }>;

function decide(approval: Approval, command: Said): Outcome {
  const { actor, channel, subjectHash } = command;
  if (approval.voided !== null) return err({ kind: 'is-void', reason: approval.voided.reason });
  if (subjectHash !== null && subjectHash !== approval.subjectHash)
    return err({ kind: 'subject-changed', current: approval.subjectHash });
  const { decision } = approval;
  const said = wordsOf(command);
  if (decision === null) return ok([{ type: 'approval-decided', actor, channel, ...said }]);
  return decision.verdict === said.verdict && decision.answer === said.answer
    ? ok([])
    : err({ kind: 'already-decided', decision });
}

const wordsOf = (command: Said): Pick<Decision, 'verdict' | 'reason' | 'answer'> =>
  command.type === 'answer'
    ? { verdict: 'approve', reason: null, answer: command.answer }
    : { verdict: command.type, reason: command.reason };

/** A yes may be withdrawn when its subject changes; a no stays a no. */
function withdraw(approval: Approval, reason: string): Outcome {
  if (approval.voided !== null) return ok([]);
  if (approval.decision?.verdict === 'reject')
    return err({ kind: 'already-decided', decision: approval.decision });
  return ok([{ type: 'approval-voided', reason }]);
}
