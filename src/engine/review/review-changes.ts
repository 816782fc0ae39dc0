import type { Convoy } from '../../domain/convoy/convoy.ts';
import type { Change } from '../../domain/merge/change.ts';
import { decideChange } from '../../domain/merge/decide-change.ts';
import { reviewId } from '../../domain/review/review.ts';
import { decideTask } from '../../domain/work/decide.ts';
import type { ChangeId } from '../../domain/work/ids.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { convoysById } from '../../ledger/queries/convoy-list.ts';
import { rollUp } from '../../ledger/roll-up.ts';
import { err, ok } from '../../lib/result.ts';
import type { Place } from '../merge/queue-run.ts';
import { mergeModeOf } from '../targets.ts';
import { ENGINE } from '../world.ts';
import { askPerson, findingsInWords, openReview } from './ask.ts';
import { briefOf, type ReviewBrief } from './brief.ts';
import { followReview } from './run-reviewer.ts';

/** Changes that may not be merged yet because nobody has said yes to their tree. */
export async function unreviewed(
  place: Place,
  changes: readonly Change[],
  titles: ReadonlyMap<string, string>,
): Promise<ReadonlySet<ChangeId>> {
  const { world, settings } = place;
  const waiting = new Set<ChangeId>();
  const ids = [...new Set(changes.flatMap(({ convoy }) => convoy ?? []))];
  const convoys = new Map(
    (await convoysById(world.ledger.db, ids)).map((convoy) => [convoy.id as string, convoy]),
  );
  for (const change of changes) {
    const convoy = change.convoy === null ? undefined : convoys.get(change.convoy);
    if (convoy === undefined || !isReviewed(convoy, change, settings)) continue;
    const title = titles.get(change.task) ?? change.task;
    if (!(await hasYes(place, convoy, change, title))) waiting.add(change.id);
  }
  return waiting;
}

/** Each change by itself: where it goes to the target by itself, or where the repo asks for it. */
function isReviewed(convoy: Convoy, change: Change, settings: Place['settings']): boolean {
  if (change.landing === true || (convoy.options.review ?? settings.review) === 'none')
    return false;
  return mergeModeOf(convoy, settings) === 'review-and-merge' || settings.reviewEach;
}

async function hasYes(
  place: Place,
  convoy: Convoy,
  change: Change,
  title: string,
): Promise<boolean> {
  const { world, repo, settings, repository, memory } = place;
  const policy = convoy.options.review ?? settings.review;
  const tree = await repository.facts.treeOf(change.head);
  if (!tree.ok) return false;
  if (policy !== 'human') {
    const { head, base, id } = change;
    const review = await openReview(world, {
      id: reviewId(id, repo, tree.value),
      convoy: convoy.id,
      repo,
      change: id,
      head,
      base,
      tree: tree.value,
    });
    if (review.status === 'rejected')
      await sendBack(place, change, findingsInWords(review.findings));
    if (review.status === 'waiting' || review.status === 'running')
      followReview(world, memory.reviews, review, settings, await briefFor(place, change, title));
    if (review.status !== 'approved') return false;
  }
  return policy === 'agent' || personSaidYes(place, convoy, change, tree.value, title);
}

async function briefFor({ world }: Place, { task }: Change, title: string): Promise<ReviewBrief> {
  const stored = await taskAggregate.load(world.ledger.db, task);
  return briefOf(title, stored === null ? [] : [stored.state]);
}

async function personSaidYes(
  place: Place,
  convoy: Convoy,
  change: Change,
  tree: string,
  title: string,
): Promise<boolean> {
  const { id, task, head, base, target } = change;
  const approval = await askPerson(place.world, {
    kind: 'review',
    subject: convoy.id,
    lane: task,
    subjectHash: tree,
    summary: `Merge ${task} into ${target}: ${title}`,
    details: { change: id, head, base, target, tree },
  });
  if (approval.status === 'rejected')
    await sendBack(place, change, approval.decision?.reason ?? 'rejected without a reason');
  return approval.status === 'approved';
}

/** The task is open again and its next attempt reads what was found. */
async function sendBack({ world }: Place, change: Change, findings: string): Promise<void> {
  const reason = `the review said no: ${findings}`;
  const settings = world.settings.read();
  const budget = settings.ok ? settings.value.workspace.attempts : 1;
  await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(changeAggregate, change.id);
    const left = decideChange(stored?.state ?? null, { type: 'withdraw', reason, at: tx.at });
    if (!left.ok) return err('moved on');
    await tx.record(changeAggregate, change.id, left.value);
    const task = await tx.load(taskAggregate, change.task);
    if (task === null) return ok(null);
    const moved = decideTask(
      task.state,
      task.state.attempts >= budget
        ? { type: 'fail', reason, change: change.id }
        : { type: 'rework', change: change.id, reason },
    );
    if (moved.ok) await tx.record(taskAggregate, change.task, moved.value);
    await rollUp(tx, change.task);
    return ok(null);
  });
}
