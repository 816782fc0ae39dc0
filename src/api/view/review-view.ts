import type { ReviewJson } from '../../contract/routes/reviews.ts';
import type { Approval } from '../../domain/approval/approval.ts';
import type { Review } from '../../domain/review/review.ts';

/** What a reviewer agent was asked and said. */
export const agentReview = (review: Review): ReviewJson => ({
  id: review.id,
  by: 'agent',
  convoy: review.convoy,
  repo: review.repo,
  change: review.change,
  tree: review.tree,
  head: review.head,
  base: review.base,
  status: review.status,
  tries: review.tries,
  findings: review.findings.map((finding) => ({ ...finding })),
  reason: review.reason,
  opened_at: iso(review.openedAt),
  answered_at: review.answeredAt === null ? null : iso(review.answeredAt),
});

/** The same question to a person, which is an approval. */
export function personReview(approval: Approval): ReviewJson {
  const { details, decision } = approval;
  const word = (name: string): string | null => {
    const value = details[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    id: approval.id,
    by: 'person',
    convoy: approval.subject,
    repo: word('repo'),
    change: word('change'),
    tree: approval.subjectHash,
    head: word('head'),
    base: word('base') ?? word('onto'),
    status: approval.status === 'pending' ? 'waiting' : approval.status,
    tries: 0,
    findings: [],
    reason: decision?.reason ?? approval.voided?.reason ?? null,
    opened_at: iso(approval.requestedAt),
    answered_at: decision === null ? null : iso(decision.at),
  };
}

const iso = (at: number): string => new Date(at).toISOString();
