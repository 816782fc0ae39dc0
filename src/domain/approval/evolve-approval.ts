import type { Instant } from '../work/ids.ts';
import type { Approval, ApprovalEvent } from './approval.ts';

/** The approval after one of its events. */
export function evolveApproval(
  approval: Approval | null,
  event: ApprovalEvent,
  at: Instant,
): Approval {
  if (event.type === 'approval-requested')
    return {
      ...event.wish,
      id: event.id,
      requestedAt: at,
      requestedBy: event.by,
      status: 'pending',
      decision: null,
      voided: null,
    };
  if (approval === null) throw new Error('An approval was decided before it was requested');
  if (event.type === 'approval-voided')
    return { ...approval, status: 'void', voided: { at, reason: event.reason } };
  const { type: _, ...decision } = event;
  return {
    ...approval,
    status: event.verdict === 'approve' ? 'approved' : 'rejected',
    decision: { ...decision, at },
  };
}
