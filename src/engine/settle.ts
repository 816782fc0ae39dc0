import type { Convoy } from '../domain/convoy/convoy.ts';
import { type Outlook, outlook } from '../domain/convoy/outlook.ts';
import { type Change, isInQueue } from '../domain/merge/change.ts';
import { EVERY_TARGET, queueId } from '../domain/merge/queue.ts';
import { readiness } from '../domain/work/readiness.ts';
import type { Task } from '../domain/work/task.ts';
import { allQueues, changesOfConvoy } from '../ledger/queries/changes.ts';
import { convoyList } from '../ledger/queries/convoy-list.ts';
import { convoyMembers } from '../ledger/queries/convoy-members.ts';
import { graphAround } from '../ledger/queries/graph-around.ts';
import { reviewsOf } from '../ledger/queries/reviews.ts';
import { tasksById } from '../ledger/queries/task-list.ts';
import { surroundingsOf } from '../ledger/surroundings.ts';
import { agentCheck } from '../ports/missing-agent.ts';
import type { Settings } from '../ports/settings.ts';
import { landConvoy } from './merge/land-convoy.ts';
import { type EpicLandings, landEpics } from './merge/land-epics.ts';
import { moveConvoy } from './merge/move-convoy.ts';
import { type ReviewMemory, spentWords } from './review/run-reviewer.ts';
import type { World } from './world.ts';

const MOST = 10_000;

/** Lets every launched convoy follow its tasks: stalled, moving again, landing, landed or closed. */
export async function settlePass(world: World, reviews: ReviewMemory): Promise<void> {
  const settings = world.settings.read();
  if (!settings.ok) return;
  const live = await convoyList(world.ledger.db, {
    status: ['open', 'stalled', 'landing'],
    limit: MOST,
  });
  for (const convoy of live.filter(({ feeding }) => feeding))
    await settleConvoy(world, settings.value, convoy, reviews);
}

async function settleConvoy(
  world: World,
  settings: Settings,
  convoy: Convoy,
  reviews: ReviewMemory,
): Promise<void> {
  const { db } = world.ledger;
  const tasks = await tasksById(db, await convoyMembers(db, convoy.id));
  const changes = await changesOfConvoy(db, convoy.id);
  const graph = await graphAround(db, tasks);
  const facts = await surroundingsOf(db, settings, tasks, {
    now: world.now(),
    agentMissing: agentCheck(settings, world.machine),
    hostFull: null,
  });
  // A stall is told from what the tasks could do if the convoy itself were no obstacle.
  const asIfOpen = (task: Task): ReturnType<typeof facts> => {
    const seen = facts(task);
    return { ...seen, convoy: seen.convoy === null ? null : { ...seen.convoy, status: 'open' } };
  };
  const answers = new Map(
    tasks.map((task) => [task.id as string, readiness(task, graph, asIfOpen(task))]),
  );
  const stuck = new Map([
    ...(await stoppedQueues(world, changes)),
    ...(await silentReviews(world, convoy, changes)),
    ...stuckPulls(changes),
  ]);
  const epics = await landEpics(world, settings, convoy, tasks, changes);
  const next = withEpics(outlook(convoy, tasks, answers, stuck), epics);
  switch (next.kind) {
    case 'moving':
      if (convoy.status === 'stalled') await moveConvoy(world, convoy, { type: 'resume' });
      if (convoy.status === 'landing')
        await moveConvoy(world, convoy, {
          type: 'stop-landing',
          reason: 'there is more work to do',
        });
      return;
    case 'stalled':
      await moveConvoy(world, convoy, { type: 'stall', reason: next.reason });
      return;
    case 'empty':
      await moveConvoy(world, convoy, { type: 'close', reason: 'it tracks no task' });
      return;
    default:
      if (!epics.unlanded)
        await landConvoy(world, settings, convoy, tasks, changes, stuck, reviews);
  }
}

/**
 * Sub-epics on their way into the branch above free those behind them; one that cannot get there
 * stops the convoy only when nothing else moves.
 */
function withEpics(seen: Outlook, { queued, stuck }: EpicLandings): Outlook {
  if (seen.kind === 'moving' || seen.kind === 'empty') return seen;
  if (queued) return { kind: 'moving' };
  if (stuck.length === 0) return seen;
  const own = seen.kind === 'stalled' ? [seen.reason] : [];
  return { kind: 'stalled', reason: [...own, ...stuck].join('; ') };
}

/** Tasks, and convoys that land, whose change stands in a queue that does not move, with the reason. */
async function stoppedQueues(
  world: World,
  changes: readonly Change[],
): Promise<Map<string, string>> {
  const stopped = new Map(
    (await allQueues(world.ledger.db)).flatMap(({ id, paused, held }) => {
      const reason = paused?.reason ?? held;
      return reason === null ? [] : [[id, reason] as const];
    }),
  );
  return new Map(
    changes.flatMap((change) => {
      const reason =
        stopped.get(queueId(change.repo, change.target)) ??
        stopped.get(queueId(change.repo, EVERY_TARGET));
      return reason === undefined || !isInQueue(change.status)
        ? []
        : [[change.task, reason] as const];
    }),
  );
}

/** Tasks, and convoys that land, whose pull request waits for a person. */
const stuckPulls = (changes: readonly Change[]): [string, string][] =>
  changes.flatMap(({ id, task, status, pull }) =>
    pull?.stuck === true && isInQueue(status)
      ? [[task, `pull request #${pull.number ?? ''}: ${pull.waits ?? ''}; ${pullRemedy(id)}`]]
      : [],
  );

const pullRemedy = (id: string): string =>
  `convoy queue retry ${id} tries it again, convoy queue reject ${id} gives it up`;

/** Tasks whose change waits for a reviewer that never gave a verdict, or that cannot be paid. */
async function silentReviews(
  world: World,
  convoy: Convoy,
  changes: readonly Change[],
): Promise<[string, string][]> {
  const isSpent = convoy.spending?.stops === true;
  const stuck = (await reviewsOf(world.ledger.db, convoy.id)).filter(
    ({ status, change }) =>
      change !== null && (status === 'failed' || (status === 'waiting' && isSpent)),
  );
  return stuck.flatMap(({ change, status, tries, reason }) => {
    const waits = changes.find((each) => each.id === change && isInQueue(each.status));
    const why =
      status === 'failed'
        ? `no verdict on ${change ?? ''} after ${tries} reviews: ${reason ?? ''}`
        : `the review of ${change ?? ''} waits: ${spentWords(convoy)}`;
    return waits === undefined ? [] : [[waits.task, why] as [string, string]];
  });
}
