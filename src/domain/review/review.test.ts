import { expect, test } from 'vitest';
import { evolveReview, type Review, type ReviewEvent, reviewId } from './review.ts';

const opened: ReviewEvent = {
  type: 'review-opened',
  review: {
    id: 'rv-1',
    convoy: 'cv-1',
    repo: 'main',
    change: null,
    head: 'h',
    base: 'b',
    tree: 't',
  },
};

const after = (...events: readonly ReviewEvent[]): Review =>
  [opened, ...events].reduce<Review | null>(
    (review, event, at) => evolveReview(review, event, at),
    null,
  ) ?? expect.fail('no review');

test('a review that was only started has not approved', () => {
  expect(after({ type: 'review-started' })).toMatchObject({ status: 'running', tries: 1 });
});

test('silence brings it back to waiting, and for good to failed; the tries are counted', () => {
  const silent = { type: 'review-unanswered', reason: 'said nothing', final: false } as const;
  const twice = after({ type: 'review-started' }, silent, { type: 'review-started' });
  expect(twice).toMatchObject({ status: 'running', tries: 2 });
  expect(evolveReview(twice, { ...silent, final: true }, 9)).toMatchObject({
    status: 'failed',
    reason: 'said nothing',
  });
});

test('only the word approve approves', () => {
  const started = after({ type: 'review-started' });
  const said = { type: 'review-answered', findings: [] } as const;
  expect(evolveReview(started, { ...said, verdict: 'approve' }, 1).status).toBe('approved');
  expect(evolveReview(started, { ...said, verdict: 'reject' }, 1).status).toBe('rejected');
});

test('another tree is another review', () => {
  const trees = ['a'.repeat(40), 'b'.repeat(40)];
  expect(new Set(trees.map((tree) => reviewId('cv-1', 'main', tree))).size).toBe(2);
  expect(reviewId('cv-1', 'main', trees[0] ?? '')).not.toBe(
    reviewId('cv-1', 'api', trees[0] ?? ''),
  );
});
