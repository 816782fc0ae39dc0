import { type Change, isInQueue } from '../../domain/merge/change.ts';
import { EVERY_TARGET, type Queue, queueId } from '../../domain/merge/queue.ts';
import { followQueue, type QueueSigns, type Quiet } from '../../domain/merge/watchdog.ts';
import { queueAggregate } from '../../ledger/aggregates/queue.ts';
import { allQueues, openChanges } from '../../ledger/queries/changes.ts';
import { err, ok } from '../../lib/result.ts';
import type { RepoSettings, Settings } from '../../ports/settings.ts';
import { ENGINE, type World } from '../world.ts';

export type QueueWatch = {
  /** Looks at every queue; returns how long until one of them would be quiet for too long. */
  pass(settings: Settings): Promise<number | null>;
};

/** What the processor of the queues lets be known about itself, and how it is started again. */
export type Processor = {
  /** Changes of a queue that wait for a reviewer or a person. */
  waiting(queue: string): ReadonlySet<string>;
  restart(reason: string): Promise<void>;
};

/** Notices a queue that could move and does not, tells people once, and starts the processor again. */
export function watchQueues(world: World, processor: Processor): QueueWatch {
  const known = new Map<string, Quiet>();
  return {
    async pass({ workspace, repos }) {
      const { db } = world.ledger;
      const queues = await allQueues(db);
      const open = Map.groupBy(await openChanges(db), ({ repo, target }) => queueId(repo, target));
      for (const id of known.keys()) if (!open.has(id)) known.delete(id);
      let due: number | null = null;
      let hung: string | null = null;
      for (const queue of queues) {
        const changes = open.get(queue.id) ?? [];
        const signs = signsOf(queue, queues, changes, processor.waiting(queue.id), repos);
        // A clock that is set makes no queue slow.
        const limit = { now: world.timers.monotonic(), limitMs: workspace.watchdogMs };
        const before = known.get(queue.id) ?? null;
        const { quiet, stalled, dueMs } = followQueue(before, signs, limit);
        known.set(queue.id, quiet);
        if (hasMoved(before, quiet, signs)) await recovered(world, queue);
        if (dueMs !== null) due = Math.min(due ?? Infinity, dueMs);
        if (!stalled) continue;
        await alert(world, queue, limit.now - quiet.since, changes);
        // The next alert is due after another whole limit.
        known.set(queue.id, { ...quiet, since: limit.now });
        hung = queue.id;
      }
      if (hung !== null) await processor.restart(`the queue ${hung} did not move`);
      return due;
    },
  };
}

/** It may also have moved and emptied between two looks. */
const hasMoved = (before: Quiet | null, quiet: Quiet, { movable }: QueueSigns): boolean =>
  movable === 0 || (before !== null && before.mark !== quiet.mark);

function signsOf(
  queue: Queue,
  all: readonly Queue[],
  changes: readonly Change[],
  waiting: ReadonlySet<string>,
  repos: Settings['repos'],
): QueueSigns {
  const every = all.find(({ id }) => id === queueId(queue.repo, EVERY_TARGET));
  const movable = changes.filter(
    ({ id, status }) => isInQueue(status) && status !== 'waiting_push' && !waiting.has(id),
  );
  const runs = changes.some(({ status }) => status === 'verifying');
  return {
    movable: movable.length,
    stopped:
      queue.paused !== null ||
      queue.held !== null ||
      (every?.paused ?? null) !== null ||
      // A forge and the people there may take their time, and the others wait behind it.
      changes.some(({ pull }) => pull !== undefined),
    // What the watchdog itself writes is no sign of life.
    mark: JSON.stringify([{ ...queue, stalledAt: null }, changes]),
    gateMs: runs ? gateTime(repos[queue.repo]) : 0,
  };
}

const SETUP_MS = 600_000;

const gateTime = (repo: RepoSettings | undefined): number =>
  (repo?.setup === null ? 0 : SETUP_MS) +
  (repo?.gates ?? []).reduce((all, { timeoutMs, retries }) => all + timeoutMs * (retries + 1), 0);

/** One alert for each time it stands still, however often it is started again. */
async function alert(
  world: World,
  { id }: Queue,
  quietMs: number,
  changes: readonly Change[],
): Promise<void> {
  const reason = `${changes.length} of its changes wait: ${changes
    .slice(0, 5)
    .map((change) => `${change.id} ${change.status}`)
    .join(', ')}.`;
  world.log(`queue ${id}: quiet for ${quietMs} ms, started again`);
  await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(queueAggregate, id);
    if (stored === null || (stored.state.stalledAt ?? null) !== null) return err('told');
    await tx.record(queueAggregate, id, [{ type: 'queue-stalled', quietMs, reason }]);
    return ok(null);
  });
}

async function recovered(world: World, { id, stalledAt }: Queue): Promise<void> {
  if ((stalledAt ?? null) === null) return;
  await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(queueAggregate, id);
    if ((stored?.state.stalledAt ?? null) === null) return err('moved on');
    await tx.record(queueAggregate, id, [{ type: 'queue-recovered' }]);
    return ok(null);
  });
}
