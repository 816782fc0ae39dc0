import type { Convoy } from '../domain/convoy/convoy.ts';
import { branchesOf } from '../domain/convoy/slug.ts';
import { remainingPath } from '../domain/graph/critical-path.ts';
import type { WorkGraph } from '../domain/graph/work-graph.ts';
import { type Attempt, isLive } from '../domain/work/attempt.ts';
import { blockersOf } from '../domain/work/blockers.ts';
import { decideTask } from '../domain/work/decide.ts';
import { type Candidate, pickStarts, type Room } from '../domain/work/dispatch.ts';
import { attemptId, repoName } from '../domain/work/ids.ts';
import { newAttempt } from '../domain/work/new-attempt.ts';
import { readiness } from '../domain/work/readiness.ts';
import type { Task } from '../domain/work/task.ts';
import { attemptAggregate } from '../ledger/aggregates/attempt.ts';
import { convoyAggregate } from '../ledger/aggregates/convoy.ts';
import { taskAggregate } from '../ledger/aggregates/task.ts';
import { agentBreakers } from '../ledger/queries/agent-breakers.ts';
import { attemptsOf, liveAttempts } from '../ledger/queries/attempts.ts';
import { changesOf } from '../ledger/queries/changes.ts';
import { convoyMembers } from '../ledger/queries/convoy-members.ts';
import { convoyList } from '../ledger/queries/convoy-list.ts';
import { graphAround } from '../ledger/queries/graph-around.ts';
import { tasksById } from '../ledger/queries/task-list.ts';
import { rollUp } from '../ledger/roll-up.ts';
import { surroundingsOf } from '../ledger/surroundings.ts';
import type { Tx } from '../ledger/transaction.ts';
import { err, ok } from '../lib/result.ts';
import { agentCheck } from '../ports/missing-agent.ts';
import type { Settings } from '../ports/settings.ts';
import { coordinated, type CoordinatorMemory, LOOK_MS, noCoordination } from './coordinate.ts';
import { crashPoint } from './crash-points.ts';
import { branchesAbove } from './merge/epic-branches.ts';
import { followUpOf } from './merge/follow-up.ts';
import { nameBranches } from './name-branches.ts';
import { awaitsRemotes } from './remote/settle-branches.ts';
import { changeTarget } from './targets.ts';
import { ENGINE, type World } from './world.ts';

const MOST_CONVOYS = 10_000;
const LEAST_MEMORY = 256 * 1024 ** 2;
const LEAST_DISK = 512 * 1024 ** 2;

/**
 * Opens an attempt for every ready task there is room for, telling after each; says when the next one may
 * be ready by itself.
 */
export async function dispatchPass(
  world: World,
  opened: () => void = () => {},
  coordination: CoordinatorMemory = noCoordination(),
): Promise<{ dueAt: number | null }> {
  const settings = world.settings.read();
  if (!settings.ok) {
    world.log(`dispatch waits for a valid configuration: ${settings.error.message}`);
    return NOTHING_DUE;
  }
  const { db } = world.ledger;
  const feeding = (await convoyList(db, { status: ['open'], limit: MOST_CONVOYS })).filter(
    ({ feeding: isFeeding }) => isFeeding,
  );
  if (feeding.length === 0) return NOTHING_DUE;
  const host = await hostFull(world);
  const found: Found[] = [];
  for (const convoy of feeding) found.push(await readyIn(world, settings.value, convoy, host));
  const candidates = found.flatMap(({ ready }) => ready);
  const dueAt = earliest(found.map((each) => each.dueAt));
  if (candidates.length === 0) return { dueAt };
  const room = await roomLeft(world, settings.value, feeding);
  const { dispatch } = settings.value.workspace;
  const chosen =
    dispatch === 'coordinator' && room.workspace > 0
      ? await coordinated(world, settings.value, candidates, coordination)
      : [];
  if (chosen === null) return { dueAt: world.now() + LOOK_MS };
  const picks = pickStarts(candidates, room, dispatch, chosen);
  await startAll(world, settings.value, feeding, picks, opened);
  return { dueAt };
}

async function startAll(
  world: World,
  settings: Settings,
  convoys: readonly Convoy[],
  picks: readonly Candidate[],
  opened: () => void,
): Promise<void> {
  world.executor.expect?.(picks.length);
  const named = new Map<string, Convoy | null>();
  for (const pick of picks) {
    const convoy = convoys.find(({ id }) => id === pick.convoy);
    if (convoy === undefined) continue;
    if (!named.has(convoy.id)) named.set(convoy.id, await withBranches(world, settings, convoy));
    const begun = named.get(convoy.id) ?? null;
    if (begun === null) continue;
    await openAttempt(world, settings, begun, pick);
    opened();
  }
}

/** The convoy with a name for its branches; null while that has to be settled on a remote first. */
async function withBranches(
  world: World,
  settings: Settings,
  convoy: Convoy,
): Promise<Convoy | null> {
  if (await awaitsRemotes(world, settings, convoy)) return null;
  return nameBranches(world, settings, convoy);
}

const NOTHING_DUE = { dueAt: null };

const earliest = (instants: readonly (number | null)[]): number | null =>
  instants.reduce(
    (first, at) => (at === null || (first !== null && first <= at) ? first : at),
    null,
  );

type Found = { readonly ready: readonly Candidate[]; readonly dueAt: number | null };

async function readyIn(
  world: World,
  settings: Settings,
  convoy: Convoy,
  host: string | null,
): Promise<Found> {
  const { db } = world.ledger;
  const members = await tasksById(db, await convoyMembers(db, convoy.id));
  const open = members.filter(({ status }) => status === 'open' || status === 'deferred');
  if (open.length === 0) return { ready: [], dueAt: null };
  const graph = await graphAround(db, members);
  await skipUnmet(world, graph, open);
  const now = world.now();
  const facts = await surroundingsOf(db, settings, open, {
    now,
    agentMissing: agentCheck(settings, world.machine),
    hostFull: host,
  });
  const remaining = remainingPath(graph, new Set(members.map(({ id }) => id)));
  const ready = open.flatMap((task): Candidate[] => {
    const { state, reasons } = readiness(task, graph, facts(task));
    // Capacity is shared out below, for all convoys together.
    const isReady = state === 'ready' || reasons.every(({ code }) => code === 'no_capacity');
    const agent = task.agent ?? settings.repos[task.repo ?? '']?.agent ?? null;
    if (!isReady || task.repo === null || agent === null) return [];
    return [
      {
        task: task.id,
        convoy: convoy.id,
        repo: task.repo,
        agent,
        priority: task.priority,
        remaining: remaining.get(task.id) ?? 0,
        createdAt: task.createdAt,
      },
    ];
  });
  const later = open.map(waitsUntil).filter((at) => at !== null && at > now);
  return { ready, dueAt: earliest(later) };
}

/** The instant a task itself waits for: the end of its backoff or of its deferral. */
const waitsUntil = (task: Task): number | null => {
  if (task.status === 'open') return task.retryAt;
  return task.status === 'deferred' ? task.until : null;
};

/** A task that runs only if another fails is left out once that other has succeeded. */
async function skipUnmet(world: World, graph: WorkGraph, open: readonly Task[]): Promise<void> {
  for (const task of open) {
    const unmet = blockersOf(graph, task.id).find(({ state }) => state === 'skip');
    if (unmet === undefined) continue;
    await world.ledger.write(ENGINE, async (tx) => {
      const stored = await tx.load(taskAggregate, task.id);
      const reason = `${unmet.on} succeeded, so this is not needed`;
      const decision = stored === null ? null : decideTask(stored.state, { type: 'skip', reason });
      if (decision?.ok !== true) return err('moved on');
      await tx.record(taskAggregate, task.id, decision.value);
      await rollUp(tx, task.id);
      return ok(null);
    });
  }
}

async function hostFull(world: World): Promise<string | null> {
  const memory = world.machine.freeMemoryBytes();
  if (memory < LEAST_MEMORY) return `${Math.round(memory / 1024 ** 2)} MB of memory left`;
  const disk = await world.machine.freeBytes(world.runsDir);
  return disk < LEAST_DISK ? `${Math.round(disk / 1024 ** 2)} MB of disk left` : null;
}

async function roomLeft(
  world: World,
  settings: Settings,
  convoys: readonly Convoy[],
): Promise<Room> {
  const live = await liveAttempts(world.ledger.db);
  const breakers = await agentBreakers(world.ledger.db, settings.workspace.breaker, world.now());
  // An agent on trial gets one attempt, whatever it may have otherwise.
  const most = (name: string, maxParallel: number | null): number | null =>
    breakers.get(name)?.kind === 'trial' ? 1 : maxParallel;
  const count = (matches: (attempt: Attempt) => boolean): number => live.filter(matches).length;
  return {
    workspace: Math.max(0, settings.workspace.maxParallel - live.length),
    convoys: new Map(
      convoys.map(({ id, options: { maxParallel } }) => [
        id,
        maxParallel === null ? null : maxParallel - count(({ convoy }) => convoy === id),
      ]),
    ),
    agents: new Map(
      Object.entries(settings.agents).map(([name, { maxParallel }]) => {
        const room = most(name, maxParallel);
        return [name, room === null ? null : room - count(({ agent }) => agent === name)];
      }),
    ),
    running: new Map(convoys.map(({ id }) => [id, count(({ convoy }) => convoy === id)])),
  };
}

const ID_LENGTH = 6;

/** An attempt that was given up may still be on its way out, and the convoy may have moved on. */
async function mayBegin(tx: Tx, convoy: Convoy, earlier: readonly Attempt[]): Promise<boolean> {
  if (earlier.some(({ status }) => isLive(status))) return false;
  return (await tx.load(convoyAggregate, convoy.id))?.state.status === 'open';
}

/** The intent, before any effect: the task is held by an attempt that does not run yet. */
async function openAttempt(
  world: World,
  settings: Settings,
  convoy: Convoy,
  pick: Candidate,
): Promise<void> {
  const repo = settings.repos[pick.repo];
  if (repo === undefined) return;
  const task = await taskAggregate.load(world.ledger.db, pick.task);
  if (task === null) return;
  const above = await branchesAbove(world.ledger.db, convoy, task.state);
  const target = await changeTarget(world, convoy, repo, above.at(-1)?.branch);
  if (target === null) {
    world.log(`${pick.task}: git does not say which branch of ${pick.repo} is the default`);
    return;
  }
  const id = attemptId(`at-${world.ids.base36(ID_LENGTH)}`);
  await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(taskAggregate, pick.task);
    if (stored === null) return err('gone');
    const decision = decideTask(stored.state, { type: 'start', attempt: id });
    if (!decision.ok) return err('moved on');
    const earlier = await attemptsOf(tx.db, pick.task);
    if (!(await mayBegin(tx, convoy, earlier))) return err('not now');
    const conflicted = (await changesOf(tx.db, pick.task)).at(-1)?.status === 'conflicted';
    const number = earlier.length + 1;
    const isResolver = conflicted || followUpOf(stored.state)?.kind === 'landing_conflict';
    const attempt = newAttempt(
      {
        id,
        task: pick.task,
        convoy: convoy.id,
        repo: repoName(pick.repo),
        number,
        role: isResolver ? 'resolver' : 'worker',
        agent: pick.agent,
        branch: branchesOf(convoy).task(pick.task, number),
        target,
      },
      tx.at,
    );
    await tx.record(attemptAggregate, id, [{ type: 'attempt-opened', attempt }]);
    await tx.record(taskAggregate, pick.task, decision.value);
    await rollUp(tx, pick.task);
    return ok(null);
  });
  crashPoint('attempt-opened');
}
