import type { ReviewSubject } from '../domain/review/prompt.ts';
import type { Cost } from '../domain/work/attempt.ts';
import type { ReviewVerdict } from '../domain/review/verdict.ts';

/** Somebody who reads a diff and gives a verdict; whoever asks binds it to the tree. */
export interface Reviewer {
  review(
    subject: ReviewSubject,
    options?: {
      readonly signal?: AbortSignal;
      /** What is left to spend on the whole review, in dollars; null is no limit. */
      readonly usd?: number | null;
    },
  ): Promise<ReviewOutcome>;
}

/** No verdict is no approval, whatever the reason. */
export type ReviewOutcome =
  | ({ readonly kind: 'verdict' } & ReviewVerdict & Cost)
  | ({ readonly kind: 'no-verdict'; readonly reason: string } & Cost);
