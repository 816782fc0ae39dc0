import type { Convoy } from '../../domain/convoy/convoy.ts';
import { MOST_TRIES, type Review, reviewRun, THE_MODEL } from '../../domain/review/review.ts';
import type { Cost } from '../../domain/work/attempt.ts';
import { attemptId } from '../../domain/work/ids.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { reviewAggregate } from '../../ledger/aggregates/review.ts';
import { runningReviews } from '../../ledger/queries/reviews.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok } from '../../lib/result.ts';
import type { RepoSettings } from '../../ports/settings.ts';
import { crashPoint } from '../crash-points.ts';
import { type SpendingWatch, spentConvoys } from '../spending.ts';
import { repositoryOf } from '../targets.ts';
import { ENGINE, type World } from '../world.ts';
import { reviewByAgent, reviewLeft, type ReviewLine, type Said } from './agent-review.ts';
import type { ReviewBrief } from './brief.ts';
import { reviewByModel } from './model-review.ts';
import type { Reviewing } from './reviewing.ts';

/** The reviewers somebody follows in this process; lost without harm, because they outlive it. */
export type ReviewMemory = {
  readonly running: Map<string, Promise<void>>;
  readonly stop: AbortSignal;
  /** Ends the reviewer of a review for want of money, by the review's id. */
  readonly ends: Map<string, { readonly convoy: string; readonly end: (why: string) => void }>;
  /** What a reviewer at work says it has used, by the name of the try. */
  heard(run: string, cost: Cost): void;
  forget(run: string): void;
  /** Somebody has to look again: a try is over. */
  wake(): void;
};

export const reviewMemory = (
  spending: SpendingWatch,
  stop: AbortSignal,
  wake: () => void,
): ReviewMemory => ({
  running: new Map(),
  ends: new Map(),
  stop,
  heard: (run, cost) => spending.heard(run, cost),
  forget: (run) => spending.forget(run),
  wake,
});

/** Starts the reviewer of a waiting review, or takes up one that an earlier engine started. */
export function followReview(
  world: World,
  memory: ReviewMemory,
  review: Review,
  repo: RepoSettings,
  brief: ReviewBrief,
): void {
  alone(world, memory, review, () => follow(world, memory, review, repo, brief));
}

/**
 * Takes up what an earlier engine left, also where nobody asks for it any more: its change was taken back,
 * or its tree is another by now. What it says is written down, and what it held is given back.
 */
export async function takeUpReviews(world: World, memory: ReviewMemory): Promise<void> {
  const settings = world.settings.read();
  if (!settings.ok) return;
  for (const review of await runningReviews(world.ledger.db)) {
    const repo = settings.value.repos[review.repo];
    if (repo !== undefined) alone(world, memory, review, () => takeUp(world, memory, review, repo));
  }
}

/** One follower for each review. */
function alone(
  world: World,
  memory: ReviewMemory,
  review: Review,
  work: () => Promise<void>,
): void {
  if (memory.running.has(review.id) || memory.stop.aborted) return;
  const following = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      world.log(`${review.id}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
    } finally {
      memory.running.delete(review.id);
      memory.ends.delete(review.id);
    }
  };
  // Entered before it begins, so that a quick end finds what it has to take out.
  const begun = Promise.withResolvers<void>();
  memory.running.set(review.id, begun.promise);
  void (async () => {
    await following();
    begun.resolve();
    memory.wake();
  })();
}

async function takeUp(
  world: World,
  memory: ReviewMemory,
  review: Review,
  repo: RepoSettings,
): Promise<void> {
  const run = reviewRun(review);
  const repository = await repositoryOf(world, repo);
  if (!repository.ok) return;
  const said = await reviewLeft(world, run, review, repo, lineOf(memory, review, run));
  if (memory.stop.aborted) return;
  if (said !== null) {
    await answer(world, review, review.tries, said);
    memory.forget(run);
  }
  // Whoever still wants one that was never started begins it anew.
  await repository.value.worktrees.release(run);
}

function lineOf(memory: ReviewMemory, { id, convoy }: Review, run: string): ReviewLine {
  const spent = Promise.withResolvers<string>();
  memory.ends.set(id, { convoy, end: spent.resolve });
  return { stop: memory.stop, heard: (cost) => memory.heard(run, cost), spent: spent.promise };
}

async function follow(
  world: World,
  memory: ReviewMemory,
  review: Review,
  repo: RepoSettings,
  brief: ReviewBrief,
): Promise<void> {
  const tries = await begin(world, review, repo.reviewer ?? THE_MODEL);
  if (tries === null) return;
  crashPoint('review-started');
  const repository = await repositoryOf(world, repo);
  if (!repository.ok) return answer(world, review, tries, { verdict: err(repository.error) });
  const run = reviewRun({ id: review.id, tries });
  const line = lineOf(memory, review, run);
  const reviewing = { repository: repository.value, review, repo, brief };
  const said =
    repo.reviewer === null
      ? await byModel(world, reviewing, memory.stop)
      : await reviewByAgent(world, reviewing, run, line);
  // The engine stops, the reviewer does not: the next engine hears what it says.
  if (said === null) return;
  crashPoint('review-said');
  await answer(world, review, tries, said);
  // What it told is on record now.
  memory.forget(run);
  crashPoint('review-answered');
  await repository.value.worktrees.release(run);
}

async function byModel(
  world: World,
  reviewing: Reviewing,
  stop: AbortSignal,
): Promise<Said | null> {
  const said = await reviewByModel(world, reviewing, stop);
  if (said === null) return null;
  const { usd, tokens } = said;
  if (said.kind === 'no-verdict') return { verdict: err(said.reason), usd, tokens };
  return { verdict: ok({ verdict: said.verdict, findings: said.findings }), usd, tokens };
}

/** The intent before the effect: which try this is. */
async function begin(world: World, review: Review, by: string): Promise<number | null> {
  const begun = await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(reviewAggregate, review.id);
    if (stored === null) return err('gone');
    if (stored.state.status === 'running') return ok(stored.state.tries);
    if (stored.state.status !== 'waiting') return err('over');
    // It waits until there is something to spend again.
    if (await isSpent(tx, review.convoy)) return err('spent');
    const started = await tx.record(reviewAggregate, review.id, [{ type: 'review-started', by }]);
    return ok(started.tries);
  });
  return begun.ok ? begun.value : null;
}

/** Why no reviewer is started now, and what helps. */
export const spentWords = ({ id, spending }: Pick<Convoy, 'id' | 'spending'>): string =>
  `the budget is spent (${spending?.words ?? ''}); convoy edit ${id} --budget usd=… lifts it`;

async function isSpent(tx: Tx, convoy: string): Promise<boolean> {
  return (await tx.load(convoyAggregate, convoy))?.state.spending?.stops === true;
}

async function answer(
  world: World,
  review: Review,
  tries: number,
  { verdict, ...cost }: Said,
): Promise<void> {
  await world.ledger.write(ENGINE, async (tx) => {
    await world.revokeTokens(tx, attemptId(reviewRun({ id: review.id, tries })));
    const stored = await tx.load(reviewAggregate, review.id);
    // A late word of an earlier try does not count.
    if (stored?.state.status !== 'running' || stored.state.tries !== tries) return err('over');
    await tx.record(reviewAggregate, review.id, [
      verdict.ok
        ? { type: 'review-answered', ...verdict.value, ...cost }
        : {
            type: 'review-unanswered',
            reason: verdict.error,
            final: tries >= MOST_TRIES,
            ...cost,
          },
    ]);
    return ok(null);
  });
}

/** Reviewers of convoys that have nothing left to spend end too. */
export async function endReviewers(world: World, { ends }: ReviewMemory): Promise<void> {
  const spent = await spentConvoys(world, [...ends.values()]);
  for (const { convoy, end } of ends.values()) {
    const words = spent.get(convoy);
    if (words !== undefined) end(`the budget is spent: ${words}`);
  }
}
