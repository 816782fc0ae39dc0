import type { Kysely } from 'kysely';
import { type Change, isInQueue } from '../../domain/merge/change.ts';
import { mayBeOpen, type Pull } from '../../domain/merge/pull.ts';
import type { Queue } from '../../domain/merge/queue.ts';
import type { Tables } from '../tables.ts';
import { firstEventOf } from './in-order.ts';

type Db = Kysely<Tables>;
const OPEN = ['queued', 'verifying', 'waiting_push'];

/** Changes a queue still works on. */
export async function openChanges(db: Db, queue?: string): Promise<Change[]> {
  let query = db.selectFrom('change').select('state').where('status', 'in', OPEN);
  if (queue !== undefined) query = query.where('queue', '=', queue);
  return (await query.orderBy('enqueued_at').orderBy('id').execute()).map(parsed);
}

/** Changes that are in a queue or left it without landing. */
export async function unlandedChanges(db: Db): Promise<Change[]> {
  const rows = await db
    .selectFrom('change')
    .select('state')
    .where('status', '!=', 'merged')
    .orderBy('enqueued_at')
    .orderBy('id')
    .execute();
  return rows.map(parsed);
}

/** Changes that conflicted in convoys that have not ended. */
export async function conflictsOfLiveConvoys(db: Db): Promise<Change[]> {
  const rows = await db
    .selectFrom('change')
    .innerJoin('convoy', 'convoy.id', 'change.convoy')
    .select('change.state')
    .where('change.status', '=', 'conflicted')
    .where('convoy.status', 'in', ['open', 'paused', 'stalled', 'landing'])
    .execute();
  return rows.map(parsed);
}

/** Every change of a task, the first one first. */
export async function changesOf(db: Db, task: string): Promise<Change[]> {
  const rows = await db
    .selectFrom('change')
    .innerJoin('event', (join) => join.on(firstEventOf('change')))
    .select('change.state')
    .where('change.task', '=', task)
    .orderBy('event.id')
    .execute();
  return rows.map(parsed);
}

/** Every change of a convoy, landings included, the first one first. */
export async function changesOfConvoy(db: Db, convoy: string): Promise<Change[]> {
  const rows = await db
    .selectFrom('change')
    .innerJoin('event', (join) => join.on(firstEventOf('change')))
    .select('change.state')
    .where('change.convoy', '=', convoy)
    .orderBy('event.id')
    .execute();
  return rows.map(parsed);
}

/**
 * Changes that left their queue and whose pull request may still be open. `succeeded`: a later change
 * of the same branch goes on in it.
 */
export async function changesWithOpenPulls(
  db: Db,
): Promise<{ readonly change: Change; readonly pull: Pull; readonly succeeded: boolean }[]> {
  const rows = await db
    .selectFrom('change')
    .select('state')
    .where('state', 'like', '%"pull":{%')
    .orderBy('enqueued_at')
    .execute();
  const changes = rows.map(parsed);
  return changes.flatMap((change) => {
    const { pull, repo, status, id } = change;
    if (!mayBeOpen(pull) || isInQueue(status) || status === 'merged') return [];
    const succeeded = changes.some(
      (other) =>
        other.id !== id &&
        other.repo === repo &&
        other.pull?.branch === pull.branch &&
        (isInQueue(other.status) || other.status === 'merged'),
    );
    return [{ change, pull, succeeded }];
  });
}

export async function allQueues(db: Db): Promise<Queue[]> {
  const rows = await db.selectFrom('queue').select('state').orderBy('id').execute();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the queue aggregate writes this column
  return rows.map(({ state }) => JSON.parse(state) as Queue);
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the change aggregate writes this column
const parsed = ({ state }: { state: string }): Change => JSON.parse(state) as Change;
