import type { Kysely } from 'kysely';
import type { Problem } from '../../contract/problem.ts';
import {
  listReviews,
  reviewAgain,
  type ReviewJson,
  showReviews,
} from '../../contract/routes/reviews.ts';
import { decideConvoy } from '../../domain/convoy/decide.ts';
import type { Change } from '../../domain/merge/change.ts';
import { approvalAggregate } from '../../ledger/aggregates/approval.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { reviewAggregate } from '../../ledger/aggregates/review.ts';
import { approvalList } from '../../ledger/queries/approval-list.ts';
import { changesOf } from '../../ledger/queries/changes.ts';
import { reviewList, reviewsOf } from '../../ledger/queries/reviews.ts';
import type { Tables } from '../../ledger/tables.ts';
import { ok, type Result } from '../../lib/result.ts';
import { reads, writes } from '../context.ts';
import { find } from '../find.ts';
import { refused } from '../problems.ts';
import { agentReview, personReview } from '../view/review-view.ts';
import { findChange } from './queue-find.ts';

type Db = Kysely<Tables>;

const MOST = 1000;

export const reviewsList = reads(listReviews, async ({ query }, { ledger: { db } }) => {
  const all = query.all === true;
  const asked = await approvalList(db, {
    kind: ['review'],
    status: all ? undefined : ['pending'],
    limit: MOST,
  });
  return ok({
    reviews: inOrder([
      ...(await reviewList(db, { all })).map(agentReview),
      ...asked.map(personReview),
    ]),
  });
});

export const reviewsShow = reads(showReviews, async ({ params }, { ledger: { db } }) => {
  const found = await reviewsAbout(db, params.id);
  return found.ok ? ok({ reviews: found.value }) : found;
});

/** Only what gave no verdict is asked again: a no is answered by work, not by asking until it is a yes. */
export const reviewsAgain = writes(reviewAgain, async ({ params }, tx) => {
  const found = await reviewsAbout(tx.db, params.id);
  if (!found.ok) return found;
  const silent = found.value.filter(({ by, status }) => by === 'agent' && status === 'failed');
  if (silent.length === 0)
    return refused(
      'nothing_to_ask',
      `No reviewer of ${params.id} has failed to answer.`,
      `convoy review ${params.id} shows what was said; a verdict stands until the tree changes.`,
      [params.id],
    );
  const reason = 'asked again by hand';
  for (const { id } of silent)
    await tx.record(reviewAggregate, id, [{ type: 'review-unanswered', reason, final: false }]);
  for (const id of new Set(silent.map(({ convoy }) => convoy))) {
    const convoy = await tx.load(convoyAggregate, id);
    if (convoy?.state.status !== 'stalled') continue;
    const resumed = decideConvoy(convoy.state, { type: 'resume' });
    if (resumed.ok) await tx.record(convoyAggregate, id, resumed.value);
  }
  const after = await reviewsAbout(tx.db, params.id);
  return after.ok ? ok({ reviews: after.value }) : after;
});

/** A review by its own id, all those of a convoy, or those of the last change of a task. */
async function reviewsAbout(db: Db, id: string): Promise<Result<ReviewJson[], Problem>> {
  const own = await reviewAggregate.load(db, id);
  if (own !== null) return ok([agentReview(own.state)]);
  const named = await find(db, id, ['convoy', 'task', 'approval']);
  if (!named.ok) {
    const change = await findChange(db, id);
    return change.ok ? ok(await reviewsOfChange(db, change.value)) : named;
  }
  if (named.value.kind === 'convoy') return ok(await reviewsIn(db, named.value.id));
  if (named.value.kind === 'approval') {
    const asked = await approvalAggregate.load(db, named.value.id);
    return ok(asked?.state.kind === 'review' ? [personReview(asked.state)] : []);
  }
  const last = (await changesOf(db, named.value.id)).at(-1);
  return ok(last === undefined ? [] : await reviewsOfChange(db, last));
}

const reviewsOfChange = async (db: Db, { id, convoy }: Change): Promise<ReviewJson[]> =>
  convoy === null ? [] : (await reviewsIn(db, convoy)).filter(({ change }) => change === id);

async function reviewsIn(db: Db, convoy: string): Promise<ReviewJson[]> {
  const asked = await approvalList(db, { kind: ['review'], subject: convoy, limit: MOST });
  return inOrder([...(await reviewsOf(db, convoy)).map(agentReview), ...asked.map(personReview)]);
}

const inOrder = (reviews: readonly ReviewJson[]): ReviewJson[] =>
  reviews.toSorted((a, b) => Date.parse(a.opened_at) - Date.parse(b.opened_at));
