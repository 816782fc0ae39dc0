import type { Entry, Notice } from './notice.ts';

type Wish = { readonly kind: string; readonly subject: string; readonly summary: string };

export type ApprovalHistory = readonly Entry<
  | { readonly type: 'approval-requested'; readonly wish: Wish }
  | { readonly type: 'approval-decided' | 'approval-voided' }
>[];

/** That an approval waits; null once it no longer does. */
export function approvalNotice(
  subject: string,
  history: ApprovalHistory,
): { notice: Notice; wish: Wish } | null {
  const [asked, ...later] = history;
  if (asked?.event.type !== 'approval-requested' || later.length > 0) return null;
  const { seq, at, event } = asked;
  const { kind, subject: about, summary } = event.wish;
  return {
    notice: { subject, kind: 'approval_waiting', epoch: 0, seq, at, reason: null },
    wish: { kind, subject: about, summary },
  };
}
