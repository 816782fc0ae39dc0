import type { Kysely } from 'kysely';
import type {
  QueueDetailJson,
  QueueEntryJson,
  QueueStateJson,
} from '../../contract/routes/queue.ts';
import { type Change, isInQueue } from '../../domain/merge/change.ts';
import { type OpenConflict, openConflict } from '../../domain/merge/conflict-age.ts';
import { type Queue, queueId } from '../../domain/merge/queue.ts';
import { changesOf } from '../../ledger/queries/changes.ts';
import { convoysById } from '../../ledger/queries/convoy-list.ts';
import { orderedQueue } from '../../ledger/queries/queue-order.ts';
import { tasksById } from '../../ledger/queries/task-list.ts';
import { verificationsOf } from '../../ledger/queries/verifications.ts';
import type { Tables } from '../../ledger/tables.ts';
import { pullView } from './pull-view.ts';

type Db = Kysely<Tables>;

/** Changes as the outside sees them; positions are those of their own queue. */
export async function entryViews(
  db: Db,
  changes: readonly Change[],
  now: number,
): Promise<QueueEntryJson[]> {
  const positions = await positionsIn(db, changes);
  const titles = await titlesOf(db, changes);
  const conflicts = await conflictsIn(db, changes);
  return changes.map((change) => ({
    id: change.id,
    task: change.task,
    title: titles.get(change.task) ?? change.task,
    convoy: change.convoy,
    repo: change.repo,
    target: change.target,
    head: change.head,
    state: change.status,
    position: positions.get(change.id) ?? null,
    waiting_s: Math.max(0, Math.floor((now - change.enqueuedAt) / 1000)),
    landing: change.landing === true,
    reason: reasonOf(change),
    ...ageOf(conflicts.get(change.id), now),
    pull_request: change.pull === undefined ? null : pullView(change.pull),
  }));
}

/** Conflicts that stand, by the change that has the last word in them. */
async function conflictsIn(db: Db, changes: readonly Change[]): Promise<Map<string, OpenConflict>> {
  const found = new Map<string, OpenConflict>();
  for (const { task, status } of changes) {
    if (status !== 'conflicted') continue;
    const conflict = openConflict(await changesOf(db, task));
    if (conflict !== null) found.set(conflict.change.id, conflict);
  }
  return found;
}

const ageOf = (
  conflict: OpenConflict | undefined,
  now: number,
): Pick<QueueEntryJson, 'conflict_age_s' | 'escalated'> => ({
  conflict_age_s:
    conflict === undefined ? null : Math.max(0, Math.floor((now - conflict.since) / 1000)),
  escalated: conflict?.escalated ?? false,
});

export async function detailView(db: Db, change: Change, now: number): Promise<QueueDetailJson> {
  const [entry] = await entryViews(db, [change], now);
  if (entry === undefined) throw new Error('one change gives one entry');
  return {
    ...entry,
    attempt: change.attempt,
    base: change.base,
    priority: change.priority,
    enqueued_at: new Date(change.enqueuedAt).toISOString(),
    conflict:
      change.status === 'conflicted'
        ? { onto: change.conflict.onto, paths: [...change.conflict.paths] }
        : null,
    failure: change.status === 'red' ? change.failure : null,
    merged:
      change.status === 'merged'
        ? { commit: change.merged.commit, tree: change.merged.tree, proof: change.merged.proof }
        : null,
    verifications: (await verificationsOf(db, change.id)).map((run) => ({
      id: run.id,
      started_at: new Date(run.startedAt).toISOString(),
      ended_at: run.endedAt === null ? null : new Date(run.endedAt).toISOString(),
      outcome: run.outcome,
      retried: run.retried.map(({ gate, tries }) => ({ gate, tries: [...tries] })),
    })),
  };
}

export const stateView = (queue: Queue): QueueStateJson => ({
  repo: queue.repo,
  target: queue.target,
  paused: queue.paused !== null,
  by: queue.paused?.by ?? null,
  reason: queue.paused?.reason ?? null,
  held: queue.held,
  stalled_since: stalledSince(queue.stalledAt ?? null),
  merged: queue.merged,
  red: queue.red,
});

const stalledSince = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();

async function positionsIn(db: Db, changes: readonly Change[]): Promise<Map<string, number>> {
  const queues = new Set(
    changes
      .filter(({ status }) => isInQueue(status))
      .map(({ repo, target }) => queueId(repo, target)),
  );
  const positions = new Map<string, number>();
  for (const queue of queues)
    for (const [place, { id }] of (await orderedQueue(db, queue)).entries.entries())
      positions.set(id, place + 1);
  return positions;
}

/** The task's title; a landing carries its convoy's. */
async function titlesOf(db: Db, changes: readonly Change[]): Promise<Map<string, string>> {
  const ids = [...new Set(changes.map(({ task }) => task as string))];
  const [tasks, convoys] = [await tasksById(db, ids), await convoysById(db, ids)];
  return new Map([...tasks, ...convoys].map(({ id, title }) => [id as string, title]));
}

/** Why a change waits or has left, in words. */
export function reasonOf(change: Change): string | null {
  switch (change.status) {
    case 'waiting_push':
      return pullWords(change) ?? PUSH_WAITS[change.because];
    case 'conflicted':
      return `it conflicts with ${change.target} in ${change.conflict.paths.slice(0, 5).join(', ') || 'some files'}`;
    case 'red':
      return `gate ${change.failure.gate} failed on the merged tree`;
    case 'withdrawn':
      return change.reason;
    default:
      return null;
  }
}

function pullWords({ pull }: Change): string | null {
  if (pull === undefined || pull.waits === null) return null;
  return pull.number === null
    ? `verified; its pull request could not be opened: ${pull.waits}`
    : `verified; pull request #${pull.number}: ${pull.waits}`;
}

const PUSH_WAITS = {
  push_failed: 'verified; the push failed and is tried again',
  target_checkout_dirty: 'verified; the target is checked out with uncommitted changes',
  target_locked: 'verified; the target is locked',
  needs_approval: 'verified; it waits for an approval',
  pull_request_closed: 'verified; its pull request was closed without a merge',
} as const;
