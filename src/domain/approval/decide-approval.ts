import { err, ok, type Result } from '../../lib/result.ts';
import type {
  Approval,
  ApprovalCommand,
  ApprovalEvent,
  ApprovalRefusal,
  Verdict,
} from './approval.ts';

type Outcome = Result<ApprovalEvent[], ApprovalRefusal>;

/** What a command would change about an approval, or why it may not. Saying the same twice is fine. */
export function decideApproval(approval: Approval | null, command: ApprovalCommand): Outcome {
  if (command.type === 'request') return request(approval, command);
  if (approval === null) return err({ kind: 'unknown-approval' });
  return command.type === 'void' ? withdraw(approval, command.reason) : decide(approval, command);
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

function decide(approval: Approval, command: Extract<ApprovalCommand, { type: Verdict }>): Outcome {
  const { type: verdict, actor, channel, reason, subjectHash } = command;
  if (approval.voided !== null) return err({ kind: 'is-void', reason: approval.voided.reason });
  if (subjectHash !== null && subjectHash !== approval.subjectHash)
    return err({ kind: 'subject-changed', current: approval.subjectHash });
  const { decision } = approval;
  if (decision === null) return ok([{ type: 'approval-decided', verdict, actor, channel, reason }]);
  return decision.verdict === verdict ? ok([]) : err({ kind: 'already-decided', decision });
}

/** A yes may be withdrawn when its subject changes; a no stays a no. */
function withdraw(approval: Approval, reason: string): Outcome {
  if (approval.voided !== null) return ok([]);
  if (approval.decision?.verdict === 'reject')
    return err({ kind: 'already-decided', decision: approval.decision });
  return ok([{ type: 'approval-voided', reason }]);
}
