import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { convoyAttempts } from '../../ledger/queries/convoy-attempts.ts';
import { reviewsOf } from '../../ledger/queries/reviews.ts';
import type { ReviewOutcome } from '../../ports/reviewer.ts';
import type { World } from '../world.ts';
import type { Reviewing } from './reviewing.ts';

const LONGEST_PROMPT = 20_000;

/**
 * The built-in reviewer's word about one review; null when nobody waits for it any more. It runs
 * in this process: what a crash cut off is asked again under the same try.
 */
export async function reviewByModel(
  world: World,
  { repository, review, repo, brief }: Reviewing,
  stop: AbortSignal,
): Promise<ReviewOutcome | null> {
  const reviewer = await world.reviewer();
  if (reviewer === null) return none(NO_REVIEWER);
  const usd = await leftToSpend(world, review.convoy);
  if (usd !== null && usd <= 0) return none('the budget of the convoy is spent');
  const diff = await repository.facts.diff(review.base, review.head);
  if (!diff.ok) return none(`the diff could not be made: ${diff.error.kind}`);
  // Nobody can approve what was not shown.
  if (diff.value.truncated) return none('the diff is too large to be shown whole');
  const prompt =
    repo.reviewPrompt === null ? null : await world.readText(repo.reviewPrompt, LONGEST_PROMPT);
  const outcome = await reviewer.review(
    { ...brief, diff: diff.value.text, prompt },
    { signal: stop, usd },
  );
  return stop.aborted ? null : outcome;
}

const none = (reason: string): ReviewOutcome => ({
  kind: 'no-verdict',
  reason,
  usd: 0,
  tokens: 0,
});

export const NO_REVIEWER = 'no reviewer is named, and no key of a model is set';

/** What the convoy's budget leaves for a review, in dollars; null where there is no limit. */
async function leftToSpend(world: World, id: string): Promise<number | null> {
  const { db } = world.ledger;
  const convoy = await convoyAggregate.load(db, id);
  const settings = world.settings.read();
  const most = convoy?.state.options.budget.usd ?? (settings.ok ? settings.value.budget.usd : 0);
  if (most === 0) return null;
  const spent = [
    ...(await convoyAttempts(db, id)).map(({ cost }) => cost.usd),
    ...(await reviewsOf(db, id)).map(({ usd }) => usd ?? 0),
  ];
  return spent.reduce((left, each) => left - each, most);
}
