import type { Convoy } from '../../domain/convoy/convoy.ts';
import { MOST_TRIES, type Review, reviewRun, THE_MODEL } from '../../domain/review/review.ts';
import type { Cost } from '../../domain/work/attempt.ts';
import { attemptId } from '../../domain/work/ids.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { reviewAggregate } from '../../ledger/aggregates/review.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok } from '../../lib/result.ts';
import type { Repository } from '../../ports/repository.ts';
import type { RepoSettings } from '../../ports/settings.ts';
import { crashPoint } from '../crash-points.ts';
import { type SpendingWatch, spentConvoys } from '../spending.ts';
import { repositoryOf } from '../targets.ts';
import { ENGINE, type World } from '../world.ts';
import { reviewByAgent, type Said } from './agent-review.ts';
import type { ReviewBrief } from './brief.ts';
import { reviewByModel } from './model-review.ts';

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
  if (memory.running.has(review.id) || memory.stop.aborted) return;
  const following = async (): Promise<void> => {
    try {
      await follow(world, memory, review, repo, brief);
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
  const spent = Promise.withResolvers<string>();
  memory.ends.set(review.id, { convoy: review.convoy, end: spent.resolve });
  const said =
    repo.reviewer === null
      ? await byModel(world, repository.value, review, repo, brief, memory.stop)
      : await reviewByAgent(world, repository.value, run, review, repo, brief, {
          stop: memory.stop,
          heard: (cost) => memory.heard(run, cost),
          spent: spent.promise,
        });
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
  repository: Repository,
  review: Review,
  repo: RepoSettings,
  brief: ReviewBrief,
  stop: AbortSignal,
): Promise<Said | null> {
  const said = await reviewByModel(world, repository, review, repo, brief, stop);
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
