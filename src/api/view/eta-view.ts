import type { Kysely } from 'kysely';
import type { Convoy } from '../../domain/convoy/convoy.ts';
import { timeLeft } from '../../domain/convoy/eta.ts';
import { isOver } from '../../domain/graph/open-order.ts';
import type { TaskId } from '../../domain/work/ids.ts';
import type { Task } from '../../domain/work/task.ts';
import { recentPace } from '../../ledger/queries/recent-pace.ts';
import type { Tables } from '../../ledger/tables.ts';
import type { Settings } from '../../ports/settings.ts';
import type { Seen } from './convoy-view.ts';

/**
 * When a convoy will be through, by how long things took here lately; null when that cannot be said,
 * above all while it waits for a person.
 */
export async function etaView(
  db: Kysely<Tables>,
  settings: Settings,
  convoy: Convoy,
  seen: Seen,
  now: number,
): Promise<string | null> {
  const isMoving = (convoy.status === 'open' && convoy.feeding) || convoy.status === 'landing';
  const isAsked = [...seen.asked, ...seen.questions].some(({ status }) => status === 'pending');
  if (!isMoving || isAsked) return null;
  const repos = [...new Set(seen.tasks.flatMap(({ repo }) => repo ?? []))];
  const left = timeLeft({
    graph: seen.graph,
    members: new Set(seen.members),
    pace: await recentPace(db, repos),
    slots: slotsFor(convoy, seen.tasks, settings),
    worked: workedSince(seen, now),
    waits: waitsOf(seen.tasks, now),
    landsWhole: convoy.options.mergeMode !== 'review-and-merge',
  });
  return left === null ? null : new Date(wholeSeconds(now + left)).toISOString();
}

const wholeSeconds = (at: number): number => Math.ceil(at / 1000) * 1000;

/** What the workspace, the convoy and the agents of what is left allow at the same time. */
function slotsFor({ options }: Convoy, tasks: readonly Task[], settings: Settings): number {
  const names = new Set(
    tasks
      .filter(({ status }) => !isOver(status))
      .map(({ agent, repo }) => agent ?? settings.repos[repo ?? '']?.agent ?? ''),
  );
  const ofAgents = [...names].reduce(
    (sum, name) => sum + (settings.agents[name]?.maxParallel ?? Infinity),
    0,
  );
  const ofConvoy = options.maxParallel ?? Infinity;
  return Math.min(settings.workspace.maxParallel, ofConvoy, names.size === 0 ? 1 : ofAgents);
}

const workedSince = ({ attempts }: Seen, now: number): Map<TaskId, number> =>
  new Map(
    attempts.flatMap(({ task, startedAt, endedAt }) =>
      startedAt === null || endedAt !== null ? [] : [[task, now - startedAt] as const],
    ),
  );

const waitsOf = (tasks: readonly Task[], now: number): Map<TaskId, number> =>
  new Map(
    tasks.flatMap((task) =>
      task.status === 'deferred' && task.until !== null
        ? [[task.id, Math.max(0, task.until - now)] as const]
        : [],
    ),
  );
