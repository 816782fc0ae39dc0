import { sayVerdict } from '../../contract/routes/worker.ts';
import { reviewAggregate } from '../../ledger/aggregates/review.ts';
import { ok } from '../../lib/result.ts';
import { writes } from '../context.ts';
import { conflict, invalid } from '../problems.ts';

/** `attempt:<review>-<try>`, as the engine names a reviewer's run. */
const RUN = /^attempt:(?<review>rv-.+)-(?<tries>\d+)$/;

/**
 * Keeps what a reviewer said about its tree. It counts once the reviewer has ended well: one that
 * crashes afterwards has not approved.
 */
export const reviewerVerdict = writes(sayVerdict, async ({ body, identity }, tx) => {
  const run = RUN.exec(identity.subject ?? '')?.groups;
  if (run === undefined)
    return invalid(
      'no_review',
      'Only a reviewer inside a review can say this.',
      'CONVOY_TOKEN of the review says who speaks.',
    );
  const review = run['review'] ?? '';
  const stored = await tx.load(reviewAggregate, review);
  if (stored?.state.status !== 'running' || stored.state.tries !== Number(run['tries']))
    return conflict(
      'review_over',
      'This review is over; what is said now does not count.',
      'Stop working: another reviewer may have taken over.',
    );
  const { verdict, findings } = body;
  await tx.record(reviewAggregate, review, [{ type: 'verdict-said', verdict, findings }]);
  return ok({ review, tree: stored.state.tree, verdict });
});
