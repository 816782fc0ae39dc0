import type { Change } from '../../domain/merge/change.ts';
import type { Crowd } from '../../domain/merge/gather.ts';
import { expectedRedShare } from '../../domain/merge/groups.ts';
import { EVERY_TARGET, type Queue, queueId } from '../../domain/merge/queue.ts';
import type { Head, QueueView, Verdict } from '../../domain/merge/queue-view.ts';
import { type ChangeId, changeId } from '../../domain/work/ids.ts';
import { queueAggregate } from '../../ledger/aggregates/queue.ts';
import { orderedQueue } from '../../ledger/queries/queue-order.ts';
import { crowdOf } from '../crowd.ts';
import { unreviewed } from '../review/review-changes.ts';
import { gatesFingerprint, knownAnswers } from './answers.ts';
import { ensureQueue } from './ensure-queue.ts';
import { forgetStacksBut } from './landing-stack.ts';
import { dueIn } from './pending-answers.ts';
import { awayAtForge } from './pull-follow.ts';
import { byPulls, isProposed } from './pull-place.ts';
import type { Place } from './queue-run.ts';

export type Seen = {
  readonly view: QueueView;
  readonly changes: ReadonlyMap<ChangeId, Change>;
  readonly titles: ReadonlyMap<string, string>;
  readonly queue: Queue;
  /** Who was coming when the look began, and may not be in it. */
  readonly crowd: Crowd;
};

/** What is on its way to the target: the head that it will have, and what is in it. */
export type OnItsWay = Head & { readonly members: readonly ChangeId[] };

/** The queue as it is, or as it will be when something has landed. */
export async function look(place: Place, landing: OnItsWay | null = null): Promise<Seen | null> {
  const { world, repo, memory, settings } = place;
  const { db } = world.ledger;
  const crowd = crowdOf(world, place);
  const { ordered, titles } = await inOrder(place, landing?.members ?? []);
  if (ordered.length === 0) return null;
  const queue = await ensureQueue(place);
  const head = landing ?? (await headOf(place));
  if (head === null) return null;
  if (landing === null) forgetStacksBut(memory.stacks, head.commit);
  const live = new Set(ordered.map(({ id }) => id));
  const answers = await knownAnswers(db, repo, gatesFingerprint(settings));
  const verdicts = answers.filter(({ members }) => members.some((id) => live.has(id)));
  // Also of those being verified: a run goes on when what it was built on has landed.
  const { landed, failed } = await goneAmong(
    place,
    [...verdicts, ...memory.running.values()],
    live,
  );
  return {
    queue,
    crowd,
    changes: new Map(ordered.map((change) => [change.id, change])),
    titles,
    view: {
      head: { commit: head.commit, tree: head.tree },
      entries: ordered.map(({ id, needs: behind }) => ({
        id,
        needs: behind,
        overtaken: memory.overtaken.get(id) ?? 0,
      })),
      landed: new Set([...landed, ...(landing?.members ?? [])]),
      failed,
      slots: Math.max(1, settings.slots),
      running: [...memory.running.values()],
      answersDue: putOffForAnswers(place),
      verdicts,
      stacks: memory.stacks,
      redShare: expectedRedShare({ merged: queue.merged, red: queue.red }),
      paused: queue.paused !== null || (await isEveryQueuePaused(place)),
      held: queue.held !== null || isHeldBack(place),
    },
  };
}

/** Those that may go on, without those on their way. */
async function inOrder(place: Place, away: readonly ChangeId[]) {
  const { world, repo, target, memory } = place;
  const { entries, tasks } = await orderedQueue(world.ledger.db, queueId(repo, target));
  const titles = new Map(tasks.map(({ id, title }) => [id as string, title]));
  memory.unreviewed = await unreviewed(place, entries, titles);
  const here = entries.filter(({ id }) => !memory.unreviewed.has(id) && !away.includes(id));
  return { ordered: byPulls(place) ? await nextForForge(place, here) : here, titles };
}

/** Whether answers are about to come; the loop looks again when none came after all. */
function putOffForAnswers(place: Place): boolean {
  const until = dueIn(place);
  place.memory.putOffUntil = Math.max(place.memory.putOffUntil, until ?? 0);
  return until !== null;
}

async function isEveryQueuePaused({ world, repo }: Place): Promise<boolean> {
  const every = await queueAggregate.load(world.ledger.db, queueId(repo, EVERY_TARGET));
  return (every?.state.paused ?? null) !== null;
}

/** The target could not be moved a moment ago. */
const isHeldBack = ({ world, memory }: Place): boolean =>
  world.timers.monotonic() < Math.max(memory.landing.after, memory.push.retryAt);

async function headOf({ repository, target }: Place): Promise<Head | null> {
  const commit = await repository.facts.head(target);
  if (!commit.ok || commit.value === null) return null;
  const tree = await repository.facts.treeOf(commit.value);
  return tree.ok ? { commit: commit.value, tree: tree.value } : null;
}

/** More than are verified at once, so that one that conflicts or fails leaves no slot empty. */
const LEAST_LOOKED_AT = 8;

/** Those that may be merged first, then those to be proposed; those that wait at the forge are left out. */
async function nextForForge<C extends Change & { needs: readonly ChangeId[] }>(
  place: Place,
  entries: readonly C[],
): Promise<C[]> {
  const away = await awayAtForge(place, entries);
  const here = new Set(entries.map(({ id }) => id));
  return entries
    .filter(({ id, needs }) => !away.has(id) && !needs.some((need) => here.has(need)))
    .toSorted((a, b) => Number(isProposed(b)) - Number(isProposed(a)))
    .slice(0, Math.max(LEAST_LOOKED_AT, 2 * place.settings.slots));
}

async function goneAmong(
  { world }: Place,
  stacks: readonly Pick<Verdict, 'members'>[],
  live: ReadonlySet<ChangeId>,
): Promise<Pick<QueueView, 'landed' | 'failed'>> {
  const gone = [...new Set(stacks.flatMap(({ members }) => members))].filter((id) => !live.has(id));
  const rows =
    gone.length === 0
      ? []
      : await world.ledger.db
          .selectFrom('change')
          .select(['id', 'status'])
          .where('id', 'in', gone)
          .where('status', 'in', ['merged', 'red'])
          .execute();
  const those = (how: 'merged' | 'red'): Set<ChangeId> =>
    new Set(rows.filter(({ status }) => status === how).map(({ id }) => changeId(id)));
  return { landed: those('merged'), failed: those('red') };
}
