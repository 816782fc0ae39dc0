import { evolveReview, type Review, type ReviewEvent } from '../../domain/review/review.ts';
import { rowAggregate } from './row-store.ts';

/** What reviewers said, by the tree they said it about. */
export const reviewAggregate = rowAggregate<Review, ReviewEvent>({
  table: 'review',
  columns: ['status', 'convoy', 'repo'],
  evolve: evolveReview,
  row: ({ id, status, convoy, repo }) => ({ id, status, convoy, repo }),
});
