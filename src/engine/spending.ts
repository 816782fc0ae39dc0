import { budgetState, hasLimits, spendingOf } from '../domain/convoy/budget.ts';
import type { Convoy } from '../domain/convoy/convoy.ts';
import { decideConvoy } from '../domain/convoy/decide.ts';
import { type Attempt, type Cost, decideAttempt } from '../domain/work/attempt.ts';
import { attemptAggregate } from '../ledger/aggregates/attempt.ts';
import { convoyAggregate } from '../ledger/aggregates/convoy.ts';
import { liveAttempts } from '../ledger/queries/attempts.ts';
import { convoyAttempts } from '../ledger/queries/convoy-attempts.ts';
import { convoyList, convoysById } from '../ledger/queries/convoy-list.ts';
import { reviewsOf } from '../ledger/queries/reviews.ts';
import type { Tx } from '../ledger/transaction.ts';
import { err, ok } from '../lib/result.ts';
import { ENGINE, type World } from './world.ts';

/** Watches what agents use while they work. */
export type SpendingWatch = {
  /** Named by its execution: an attempt, or a try of a review. */
  heard(run: string, cost: Cost): void;
  forget(run: string): void;
  /** Notes where convoys stand with their budgets. */
  pass(): Promise<void>;
  stop(): void;
};

const MOST_CONVOYS = 10_000;
/** Reports come with every step of an agent; looking this often is enough. */
const LOOK_MS = 300;
/** So that `status` shows what runs; the exact sum is recorded when it ends. */
const NOTE_MS = 60_000;

/**
 * What agents told is kept in memory only: after a restart their output is read again from the first
 * byte. The ledger learns of it when a budget passes a level, and now and then besides.
 */
export function watchSpending(world: World, wake: () => void): SpendingWatch {
  const told = new Map<string, Cost>();
  const noted = new Map<string, number>();
  let letGo: (() => void) | null = null;
  return {
    heard(run, cost) {
      const before = told.get(run) ?? { usd: 0, tokens: 0 };
      if (cost.usd === before.usd && cost.tokens === before.tokens) return;
      told.set(run, cost);
      letGo ??= world.timers.after(LOOK_MS, () => {
        letGo = null;
        wake();
      });
    },
    forget(run) {
      told.delete(run);
      noted.delete(run);
    },
    async pass() {
      await noteLevels(world, told);
      await noteNowAndThen(world, told, noted);
    },
    stop() {
      letGo?.();
    },
  };
}

async function noteLevels(world: World, told: ReadonlyMap<string, Cost>): Promise<void> {
  const settings = world.settings.read();
  if (!settings.ok) return;
  const live = await convoyList(world.ledger.db, {
    status: ['open', 'stalled', 'paused', 'landing'],
    limit: MOST_CONVOYS,
  });
  const limited = live.filter(
    ({ options, spending }) =>
      hasLimits(options.budget, settings.value.budget) || (spending ?? null) !== null,
  );
  for (const convoy of limited) await noteLevel(world, convoy, told, settings.value.budget);
}

async function noteLevel(
  world: World,
  convoy: Convoy,
  told: ReadonlyMap<string, Cost>,
  defaults: Parameters<typeof budgetState>[2],
): Promise<void> {
  const attempts = await convoyAttempts(world.ledger.db, convoy.id);
  const reviews = await reviewsOf(world.ledger.db, convoy.id);
  const spending = spendingOf(attempts, told, world.now(), reviews);
  const command = {
    type: 'note-budget',
    ...budgetState(spending, convoy.options.budget, defaults),
  } as const;
  const expected = decideConvoy(convoy, command);
  if (!expected.ok || expected.value.length === 0) return;
  await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(convoyAggregate, convoy.id);
    const decision = stored === null ? null : decideConvoy(stored.state, command);
    if (decision?.ok !== true) return err('over');
    // What led to it is recorded with it.
    for (const attempt of attempts) await noteCost(tx, attempt, told);
    await tx.record(convoyAggregate, convoy.id, decision.value);
    return ok(null);
  });
}

async function noteNowAndThen(
  world: World,
  told: ReadonlyMap<string, Cost>,
  noted: Map<string, number>,
): Promise<void> {
  if (told.size === 0) return;
  const now = world.now();
  const due = (await liveAttempts(world.ledger.db)).filter(
    ({ id, startedAt }) => told.has(id) && now - (noted.get(id) ?? startedAt ?? now) >= NOTE_MS,
  );
  if (due.length === 0) return;
  for (const { id } of due) noted.set(id, now);
  await world.ledger.write(ENGINE, async (tx) => {
    for (const attempt of due) await noteCost(tx, attempt, told);
    return ok(null);
  });
}

async function noteCost(
  tx: Tx,
  { id }: Pick<Attempt, 'id'>,
  told: ReadonlyMap<string, Cost>,
): Promise<void> {
  const cost = told.get(id);
  const stored = cost === undefined ? null : await tx.load(attemptAggregate, id);
  if (cost === undefined || stored === null) return;
  const known = stored.state.cost;
  // After a restart the output is read again, so it may tell less than was known for a moment.
  if (cost.usd + cost.tokens <= known.usd + known.tokens) return;
  const decision = decideAttempt(stored.state, { type: 'note-spent', cost });
  if (decision.ok) await tx.record(attemptAggregate, id, decision.value);
}

/** Those of the convoys that have nothing left to spend, with what they spent. */
export async function spentConvoys(
  world: World,
  of: readonly { readonly convoy: string }[],
): Promise<Map<string, string>> {
  if (of.length === 0) return new Map();
  const ids = [...new Set(of.map(({ convoy }) => convoy))];
  return new Map(
    (await convoysById(world.ledger.db, ids)).flatMap(({ id, spending }) =>
      spending?.stops === true ? [[id as string, spending.words] as const] : [],
    ),
  );
}
