import { type Review, reviewRun } from '../review/review.ts';
import { isLive, type Attempt, type Cost } from '../work/attempt.ts';
import type { Instant } from '../work/ids.ts';
import type { Budget } from './convoy.ts';

/** What a convoy has used up. Minutes are those its agents worked, added up: waiting costs nothing. */
export type Spending = {
  readonly usd: number;
  readonly tokens: number;
  readonly minutes: number;
  readonly attempts: number;
};

export type BudgetLevel = 'free' | 'near' | 'spent';

export type BudgetState = {
  readonly level: BudgetLevel;
  /** How much of what, for people: `$5.10 of $5.00`. */
  readonly words: string;
  /** Agents at work must end too. The last attempt that was allowed may finish. */
  readonly stops: boolean;
};

/** From this share on people are warned. */
const NEAR = 0.8;
const MINUTE = 60_000;

/** Every attempt and every review counts, those at work with what they have told so far. */
export function spendingOf(
  attempts: readonly Attempt[],
  told: ReadonlyMap<string, Cost>,
  now: Instant,
  reviews: readonly Review[] = [],
): Spending {
  let { usd, tokens, minutes } = reviewSpending(reviews, told);
  for (const { id, cost, status, startedAt, endedAt } of attempts) {
    const heard = (isLive(status) ? told.get(id) : undefined) ?? cost;
    // Told and noted are the same counter; whoever restarted has the lower one for a moment.
    usd += Math.max(heard.usd, cost.usd);
    tokens += Math.max(heard.tokens, cost.tokens);
    if (startedAt !== null) minutes += Math.max(0, (endedAt ?? now) - startedAt) / MINUTE;
  }
  return { usd, tokens, minutes, attempts: attempts.length };
}

/** What reviews have used: what is recorded, and what the reviewer at work has told besides. */
export function reviewSpending(
  reviews: readonly Review[],
  told: ReadonlyMap<string, Cost> = new Map(),
): Omit<Spending, 'attempts'> {
  let [usd, tokens, minutes] = [0, 0, 0];
  for (const review of reviews) {
    const heard = review.status === 'running' ? told.get(reviewRun(review)) : undefined;
    usd += (review.usd ?? 0) + (heard?.usd ?? 0);
    tokens += (review.tokens ?? 0) + (heard?.tokens ?? 0);
    minutes += (review.ms ?? 0) / MINUTE;
  }
  return { usd, tokens, minutes };
}

const PARTS = ['usd', 'tokens', 'minutes', 'attempts'] as const;
type Part = (typeof PARTS)[number];

/** A limit of the convoy counts before the workspace's; 0 is no limit. */
const limitOf = (part: Part, own: Budget, defaults: Budget): number =>
  own[part] ?? defaults[part] ?? 0;

export const hasLimits = (own: Budget, defaults: Budget): boolean =>
  PARTS.some((part) => limitOf(part, own, defaults) > 0);

/** How far a convoy is with its budget: the limit that is nearest decides. */
export function budgetState(spending: Spending, own: Budget, defaults: Budget): BudgetState {
  const parts = PARTS.flatMap((part) => {
    const limit = limitOf(part, own, defaults);
    return limit > 0 ? [{ part, limit, share: spending[part] / limit }] : [];
  });
  const over = parts.filter(({ share }) => share >= 1);
  const near = parts.filter(({ share }) => share >= NEAR);
  const level = over.length > 0 ? 'spent' : near.length > 0 ? 'near' : 'free';
  const named = over.length > 0 ? over : near;
  return {
    level,
    words: named.map(({ part, limit }) => WORDS[part](spending[part], limit)).join(', '),
    stops: over.some(({ part }) => part !== 'attempts'),
  };
}

const WORDS: Readonly<Record<Part, (spent: number, limit: number) => string>> = {
  usd: (spent, limit) => `$${spent.toFixed(2)} of $${limit.toFixed(2)}`,
  tokens: (spent, limit) => `${spent} of ${limit} tokens`,
  minutes: (spent, limit) => `${round(spent)} of ${round(limit)} minutes of agents`,
  attempts: (spent, limit) => `${spent} of ${limit} attempts`,
};

const round = (value: number): number => Math.round(value * 100) / 100;
