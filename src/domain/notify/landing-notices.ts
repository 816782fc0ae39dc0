import type { ApprovalEvent } from '../approval/approval.ts';
import type { Change, ChangeEvent } from '../merge/change.ts';
import { evolveChange } from '../merge/evolve-change.ts';
import { evolveQueue, type Queue, type QueueEvent } from '../merge/queue.ts';
import { evolveReview, type Review, type ReviewEvent } from '../review/review.ts';
import type { Finding } from '../review/verdict.ts';
import type { Instant } from '../work/ids.ts';
import type { Entry, Notice } from './notice.ts';

/** Somebody said no to work; the convoy goes on with what was found. */
export type RejectionNotice = Notice & {
  readonly convoy: string;
  readonly what: string;
  readonly by: string;
  readonly findings: readonly Finding[];
};

/** The no of a reviewer, an agent's or the model's. */
export function reviewNotices(
  subject: string,
  history: readonly Entry<ReviewEvent>[],
): RejectionNotice[] {
  let review: Review | null = null;
  const notices: RejectionNotice[] = [];
  for (const { seq, at, event } of history) {
    review = evolveReview(review, event, at);
    if (event.type !== 'review-answered' || event.verdict !== 'reject') continue;
    const { convoy, repo, change, findings, by } = review;
    const told = { convoy, what: change ?? repo, by: by ?? 'the reviewer', findings };
    notices.push({ subject, kind: 'review_rejected', epoch: 0, seq, at, reason: null, ...told });
  }
  return notices;
}

/** The no of a person who was asked to review. */
export function rejectionNotice(
  subject: string,
  history: readonly Entry<ApprovalEvent>[],
): RejectionNotice | null {
  const [asked] = history;
  if (asked?.event.type !== 'approval-requested' || asked.event.wish.kind !== 'review') return null;
  const { wish } = asked.event;
  for (const { seq, at, event } of history) {
    if (event.type !== 'approval-decided' || event.verdict !== 'reject') continue;
    const { reason, actor } = event;
    const findings: Finding[] =
      reason === null ? [] : [{ file: null, line: null, severity: 'error', text: reason }];
    const told = { convoy: wish.subject, what: wish.lane ?? wish.subject, by: actor, findings };
    return { subject, kind: 'review_rejected', epoch: 0, seq, at, reason, ...told };
  }
  return null;
}

export type ConflictNotice = Notice & { readonly change: Change; readonly since: Instant };

/** Conflicts of a change that nobody resolved within the limit. */
export function conflictNotices(
  subject: string,
  history: readonly Entry<ChangeEvent>[],
): ConflictNotice[] {
  let change: Change | null = null;
  const notices: ConflictNotice[] = [];
  for (const { seq, at, event } of history) {
    change = evolveChange(change, event);
    if (event.type !== 'change-conflict-escalated') continue;
    const { since } = event;
    notices.push({
      subject,
      kind: 'conflict_ageing',
      epoch: seq,
      seq,
      at,
      reason: null,
      change,
      since,
    });
  }
  return notices;
}

export type QueueNotice = Notice & { readonly queue: Queue; readonly quietMs: number };

/** Every time a queue stood still and was started again. */
export function queueNotices(
  subject: string,
  history: readonly Entry<QueueEvent>[],
): QueueNotice[] {
  let queue: Queue | null = null;
  const notices: QueueNotice[] = [];
  for (const { seq, at, event } of history) {
    queue = evolveQueue(queue, event, at);
    if (event.type !== 'queue-stalled') continue;
    const { quietMs, reason } = event;
    notices.push({ subject, kind: 'stalled', epoch: seq, seq, at, reason, queue, quietMs });
  }
  return notices;
}
