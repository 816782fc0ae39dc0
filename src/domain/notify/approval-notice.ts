import type { ApprovalEvent, ApprovalWish } from '../approval/approval.ts';
import type { Entry, Notice } from './notice.ts';

export type ApprovalNotice = Notice & { readonly wish: ApprovalWish };

/** That an approval waits; null once it no longer does. */
export function approvalNotice(
  subject: string,
  history: readonly Entry<ApprovalEvent>[],
): ApprovalNotice | null {
  const [asked, ...later] = history;
  if (asked?.event.type !== 'approval-requested' || later.length > 0) return null;
  const { seq, at, event } = asked;
  const kind = 'approval_waiting';
  return { subject, kind, epoch: 0, seq, at, reason: null, wish: event.wish };
}
