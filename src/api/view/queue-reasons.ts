import type { Kysely } from 'kysely';
import type { Change } from '../../domain/merge/change.ts';
import { openConflict } from '../../domain/merge/conflict-age.ts';
import { EVERY_TARGET, type Queue, queueId } from '../../domain/merge/queue.ts';
import type { Task } from '../../domain/work/task.ts';
import { queueAggregate } from '../../ledger/aggregates/queue.ts';
import { changesOf } from '../../ledger/queries/changes.ts';
import { orderedQueue } from '../../ledger/queries/queue-order.ts';
import { reviewsOf } from '../../ledger/queries/reviews.ts';
import type { Tables } from '../../ledger/tables.ts';
import { reasonOf } from './queue-view.ts';

type Db = Kysely<Tables>;
type Reason = { code: string; message: string; ids: string[] };

/** What the queue has to say about a task: its place, what stops it, how old its conflict is. */
export async function queueReasons(db: Db, task: Task, now: number): Promise<Reason[]> {
  const changes = await changesOf(db, task.id);
  const change = changes.at(-1);
  if (change === undefined) return [];
  const conflict = openConflict(changes);
  if (conflict !== null && (task.status === 'open' || task.status === 'in_progress')) {
    const age = inWords(now - conflict.since);
    const told = conflict.escalated ? ' It is over the limit, and people were told.' : '';
    const message = `${task.id} conflicts since ${age} with ${change.target} in ${conflict.change.conflict.paths.join(', ') || 'some files'}; a resolver takes it up.${told}`;
    return [{ code: 'conflicted', message, ids: [task.id, change.id] }];
  }
  if (task.status !== 'submitted') return [];
  const { repo, target } = change;
  const { entries } = await orderedQueue(db, queueId(repo, target));
  const place = entries.findIndex(({ id }) => id === change.id) + 1;
  const why = reasonOf(change);
  const where = `${task.id} is number ${place} of ${entries.length} in the queue of ${repo} for ${target}`;
  const review = await reviewWords(db, change);
  const state =
    change.status === 'verifying' ? 'its gates run' : (why ?? review ?? 'it waits for its turn');
  return [
    ...(await stops(db, repo, target)),
    { code: 'submitted', message: `${where}: ${state}.`, ids: [task.id, change.id] },
  ];
}

/** What its review has come to, unless it said yes. */
async function reviewWords(db: Db, { id, convoy }: Change): Promise<string | null> {
  const reviews = convoy === null ? [] : await reviewsOf(db, convoy);
  const review = reviews.find(({ change }) => change === id);
  if (review === undefined || review.status === 'approved') return null;
  return review.status === 'failed'
    ? `its reviewer gave no verdict ${review.tries} times: ${review.reason ?? ''}`
    : 'it waits for its review';
}

/** A queue that stands still is the stronger reason. */
async function stops(db: Db, repo: string, target: string): Promise<Reason[]> {
  const reasons: Reason[] = [];
  for (const id of [queueId(repo, target), queueId(repo, EVERY_TARGET)]) {
    const queue = await queueAggregate.load(db, id);
    if (queue !== null) reasons.push(...stopOf(queue.state, `of ${repo} for ${target}`));
  }
  return reasons;
}

function stopOf({ repo, paused, held, stalledAt }: Queue, which: string): Reason[] {
  const remedy = `convoy queue resume --repo ${repo} lets it go on.`;
  const say = (code: string, what: string): Reason => ({
    code,
    message: `The queue ${which} ${what}. ${remedy}`,
    ids: [],
  });
  return [
    ...(paused === null ? [] : [say('queue_paused', `is paused: ${paused.reason}`)]),
    ...(held === null ? [] : [say('queue_held', `is held: ${held}`)]),
    ...((stalledAt ?? null) === null
      ? []
      : [
          {
            code: 'queue_stalled',
            message: `The queue ${which} did not move and was started again.`,
            ids: [],
          },
        ]),
  ];
}

function inWords(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`;
}
