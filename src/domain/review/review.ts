import type { Instant } from '../work/ids.ts';
import type { Finding, ReviewVerdict } from './verdict.ts';

/**
 * What a reviewer agent is asked about one tree, and what it said.
 *
 *   waiting ⇄ running ──► approved | rejected     (its own word, about exactly this tree)
 *                └──────► failed                  (it never gave one)
 *
 * A verdict is bound to the tree: another tree is another review.
 */
export type Review = {
  readonly id: string;
  readonly convoy: string;
  readonly repo: string;
  /** The change it is about, or null for all the work of a convoy. */
  readonly change: string | null;
  readonly head: string;
  /** What the diff is taken against. */
  readonly base: string;
  readonly tree: string;
  readonly status: 'waiting' | 'running' | 'approved' | 'rejected' | 'failed';
  /** How often the reviewer was started. */
  readonly tries: number;
  readonly findings: readonly Finding[];
  /** What the reviewer of this try said through its tool; it counts once it has ended well. */
  readonly said?: ReviewVerdict | null;
  /** Why the last try gave no verdict. */
  readonly reason: string | null;
  /** Who was asked last: an agent by its name, or the model. */
  readonly by?: string;
  readonly openedAt: Instant;
  readonly answeredAt: Instant | null;
} & ReviewCost;

/** What tries used, as far as it is known: dollars, tokens, and how long agents worked. */
export type ReviewCost = {
  readonly usd?: number;
  readonly tokens?: number;
  readonly ms?: number;
};

export type ReviewEvent =
  | {
      readonly type: 'review-opened';
      readonly review: Pick<Review, 'id' | 'convoy' | 'repo' | 'change' | 'head' | 'base' | 'tree'>;
    }
  | { readonly type: 'review-started'; readonly by?: string }
  | {
      readonly type: 'verdict-said';
      readonly verdict: 'approve' | 'reject';
      readonly findings: readonly Finding[];
    }
  | ({
      readonly type: 'review-answered';
      readonly verdict: 'approve' | 'reject';
      readonly findings: readonly Finding[];
    } & ReviewCost)
  | ({
      readonly type: 'review-unanswered';
      readonly reason: string;
      readonly final: boolean;
    } & ReviewCost);

/** Stands for the built-in reviewer where an agent's name would. */
export const THE_MODEL = 'model';

/** How often a reviewer that says nothing is run before a person is asked. */
export const MOST_TRIES = 3;

/** Named by what it is about, so that the same tree is never reviewed twice. */
export const reviewId = (subject: string, repo: string, tree: string): string =>
  `rv-${subject.replace(/^[a-z]+-/, '')}-${repo}-${tree.slice(0, 12)}`;

/** The execution, worktree and token of one try. */
export const reviewRun = ({ id, tries }: Pick<Review, 'id' | 'tries'>): string => `${id}-${tries}`;

export function evolveReview(review: Review | null, event: ReviewEvent, at: Instant): Review {
  if (event.type === 'review-opened')
    return {
      ...event.review,
      status: 'waiting',
      tries: 0,
      findings: [],
      reason: null,
      openedAt: at,
      answeredAt: null,
    };
  if (review === null) throw new Error(`The first event of a review is ${event.type}`);
  switch (event.type) {
    case 'review-started':
      return {
        ...review,
        status: 'running',
        tries: review.tries + 1,
        said: null,
        ...(event.by === undefined ? {} : { by: event.by }),
      };
    case 'verdict-said': {
      const { verdict, findings } = event;
      return { ...review, said: { verdict, findings } };
    }
    case 'review-answered':
      return {
        ...spending(review, event),
        status: event.verdict === 'approve' ? 'approved' : 'rejected',
        findings: event.findings,
        reason: null,
        answeredAt: at,
      };
    default:
      return {
        ...spending(review, event),
        status: event.final ? 'failed' : 'waiting',
        reason: event.reason,
      };
  }
}

function spending(review: Review, { usd, tokens, ms }: ReviewCost): Review {
  return {
    ...review,
    ...(usd === undefined ? {} : { usd: (review.usd ?? 0) + usd }),
    ...(tokens === undefined ? {} : { tokens: (review.tokens ?? 0) + tokens }),
    ...(ms === undefined ? {} : { ms: (review.ms ?? 0) + ms }),
  };
}
