import type { ApprovalJson } from '../../contract/routes/approvals.ts';
import type { Approval } from '../../domain/approval/approval.ts';

/** An approval on the wire. */
export function approvalView(approval: Approval): ApprovalJson {
  const { decision } = approval;
  return {
    id: approval.id,
    kind: approval.kind,
    subject: approval.subject,
    lane: approval.lane,
    subject_hash: approval.subjectHash,
    status: approval.status,
    summary: approval.summary,
    details: { ...approval.details },
    requested_at: iso(approval.requestedAt),
    requested_by: approval.requestedBy,
    decision:
      decision === null
        ? null
        : { ...decision, answer: decision.answer ?? null, at: iso(decision.at) },
    void_reason: approval.voided?.reason ?? null,
  };
}

const iso = (at: number): string => new Date(at).toISOString();
