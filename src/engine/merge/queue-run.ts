import type { Change } from '../../domain/merge/change.ts';
import { expectedRedShare } from '../../domain/merge/groups.ts';
import { planPulls } from '../../domain/merge/plan-pulls.ts';
import { planQueue } from '../../domain/merge/plan.ts';
import { EVERY_TARGET, type Queue, queueId } from '../../domain/merge/queue.ts';
import type { QueueStep, QueueView, Verdict, Verification } from '../../domain/merge/queue-view.ts';
import { type ChangeId, changeId, repoName } from '../../domain/work/ids.ts';
import { queueAggregate } from '../../ledger/aggregates/queue.ts';
import { openChanges } from '../../ledger/queries/changes.ts';
import { orderedQueue } from '../../ledger/queries/queue-order.ts';
import { ok } from '../../lib/result.ts';
import type { Repository } from '../../ports/repository.ts';
import type { RepoSettings } from '../../ports/settings.ts';
import { unreviewed } from '../review/review-changes.ts';
import type { ReviewMemory } from '../review/run-reviewer.ts';
import { repositoryOf } from '../targets.ts';
import { crashPoint } from '../crash-points.ts';
import { ENGINE, type World } from '../world.ts';
import { ejectChange } from './eject.ts';
import { gatesFingerprint, knownAnswers } from './answers.ts';
import { healLanding, land } from './land.ts';
import { awayAtForge, restsAtForge } from './pull-follow.ts';
import { deliverByPull } from './pull-land.ts';
import { byPulls, isProposed, noPulls, type PullMemory } from './pull-place.ts';
import { syncQueue } from './pull-sync.ts';
import type { Synced } from './push.ts';
import { startVerifications } from './start-verifications.ts';
import { type Built, buildStack, type KnownMerges } from './stack.ts';

/** What one queue remembers between passes; all of it can be lost without harm. */
export type QueueMemory = {
  readonly running: Map<string, Verification & { stop: AbortController }>;
  /** Gate runs that have not been put away, cancelled ones included. */
  readonly under: Set<Promise<void>>;
  readonly stacks: Map<string, Built>;
  /** Outlives a landing: what was built on the stack that landed is built on the target. */
  readonly merges: KnownMerges;
  readonly overtaken: Map<ChangeId, number>;
  base: string | null;
  /** When a target that could not be moved is tried again, by the monotonic clock as all waits here. */
  landing: { after: number; waitMs: number };
  /** Gate runs are put off until then, for work that is about to come. */
  gatherUntil: number;
  /** What the last look at the remote showed. */
  synced: Synced;
  /** Reviewers that this process follows. */
  readonly reviews: ReviewMemory;
  syncedAt: number;
  push: { readonly failures: number; readonly retryAt: number };
  /** Changes that wait for a yes. */
  unreviewed: ReadonlySet<string>;
  /** Another processor has taken over: nothing is recorded any more. */
  retired: boolean;
  /** Pull requests that this process follows. */
  readonly pulls: PullMemory;
};

const LEAST_WAIT_MS = 500;
const MOST_WAIT_MS = 30_000;

export const emptyMemory = (reviews: ReviewMemory): QueueMemory => ({
  reviews,
  running: new Map(),
  under: new Set(),
  stacks: new Map(),
  merges: new Map(),
  overtaken: new Map(),
  base: null,
  landing: { after: 0, waitMs: LEAST_WAIT_MS },
  gatherUntil: 0,
  synced: { kind: 'ready', upstream: null },
  syncedAt: -Infinity,
  push: { failures: 0, retryAt: 0 },
  unreviewed: new Set(),
  retired: false,
  pulls: noPulls(),
});

const MOST_ROUNDS = 200;

/** Moves one queue as far as it goes without waiting for a gate. */
export async function runQueue(
  world: World,
  repo: string,
  target: string,
  memory: QueueMemory,
  wake: () => void,
): Promise<void> {
  const settings = world.settings.read();
  const repoSettings = settings.ok ? settings.value.repos[repo] : undefined;
  const repository = await repositoryOf(world, repoSettings);
  if (repoSettings === undefined || !repository.ok) return;
  const place: Place = {
    world,
    repo,
    target,
    settings: { ...repoSettings, gates: await gatesHere(world, repo, target, repoSettings) },
    repository: repository.value,
    memory,
    wake,
  };
  const open = await openChanges(world.ledger.db, queueId(repo, target));
  if (open.length === 0 || (await restsAtForge(place, open))) return;
  await ensureQueue(place);
  await syncQueue(place);
  if (memory.retired || !(await healLanding(place))) return;
  for (let round = 0; round < MOST_ROUNDS; round++) if (!(await takeSteps(place))) return;
}

/** One look and what follows from it; false when nothing is left to do at once. */
async function takeSteps(place: Place): Promise<boolean> {
  const seen = await look(place);
  if (seen === null || place.memory.retired) return false;
  let moved = false;
  const steps = byPulls(place) ? planForForge(seen) : planQueue(seen.view);
  for (const step of steps)
    if (step.do !== 'verify') moved = (await perform(place, seen, step)) || moved;
  // All together: they are recorded at once, so that the last does not begin later for the first.
  const gates = steps.filter((step) => step.do === 'verify');
  return (await startVerifications(place, seen.view, gates)) || moved;
}

/** The gates of this queue: a convoy's branch has no landings, and a landing is no change of its own. */
async function gatesHere(
  world: World,
  repo: string,
  target: string,
  { gates }: RepoSettings,
): Promise<RepoSettings['gates']> {
  if (target.startsWith('convoy/')) return gates.filter(({ phase }) => phase !== 'landing');
  const open = await openChanges(world.ledger.db, queueId(repo, target));
  const onlyLandings = open.every(({ landing }) => landing === true);
  return onlyLandings ? gates.filter(({ phase }) => phase !== 'change') : gates;
}

export type Place = {
  readonly world: World;
  readonly repo: string;
  readonly target: string;
  readonly settings: RepoSettings;
  readonly repository: Repository;
  readonly memory: QueueMemory;
  readonly wake: () => void;
};

export type Seen = {
  readonly view: QueueView;
  readonly changes: ReadonlyMap<ChangeId, Change>;
  readonly titles: ReadonlyMap<string, string>;
  readonly queue: Queue;
};

async function look(place: Place): Promise<Seen | null> {
  const { world, repo, target, repository, memory, settings } = place;
  const { db } = world.ledger;
  const { entries, tasks } = await orderedQueue(db, queueId(repo, target));
  const titles = new Map(tasks.map(({ id, title }) => [id as string, title]));
  const waiting = await unreviewed(place, entries, titles);
  memory.unreviewed = waiting;
  const reviewed = entries.filter(({ id }) => !waiting.has(id));
  const ordered = byPulls(place) ? await nextForForge(place, reviewed) : reviewed;
  if (ordered.length === 0) return null;
  const queue = await ensureQueue(place);
  const everyQueue = await queueAggregate.load(db, queueId(repo, EVERY_TARGET));
  const commit = await repository.facts.head(target);
  if (!commit.ok || commit.value === null) return null;
  const tree = await repository.facts.treeOf(commit.value);
  if (!tree.ok) return null;
  if (memory.base !== commit.value) {
    memory.stacks.clear();
    memory.base = commit.value;
  }
  const gates = gatesFingerprint(settings);
  const live = new Set(ordered.map(({ id }) => id));
  const answers = await knownAnswers(db, repo, gates);
  const verdicts = answers.filter(({ members }) => members.some((id) => live.has(id)));
  return {
    queue,
    changes: new Map(ordered.map((change) => [change.id, change])),
    titles,
    view: {
      head: { commit: commit.value, tree: tree.value },
      entries: ordered.map(({ id, needs: behind }) => ({
        id,
        needs: behind,
        overtaken: memory.overtaken.get(id) ?? 0,
      })),
      // Also of those being verified: a run goes on when what it was built on has landed.
      landed: await landedAmong(place, [...verdicts, ...memory.running.values()], live),
      slots: Math.max(1, settings.slots),
      running: [...memory.running.values()],
      verdicts,
      stacks: memory.stacks,
      redShare: expectedRedShare({ merged: queue.merged, red: queue.red }),
      paused: queue.paused !== null || (everyQueue?.state.paused ?? null) !== null,
      held:
        queue.held !== null ||
        world.timers.monotonic() < Math.max(memory.landing.after, memory.push.retryAt),
    },
  };
}

function planForForge({ view, changes }: Seen): QueueStep[] {
  const among = (which: (change: Change) => boolean): ReadonlySet<ChangeId> =>
    new Set([...changes.values()].filter(which).map(({ id }) => id));
  return planPulls(view, among(isProposed), among(couldNot));
}

/** It was to be proposed a moment ago, and that did not work. */
const couldNot = ({ pull }: Change): boolean => pull?.state === 'intended' && pull.waits !== null;

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

async function landedAmong(
  { world }: Place,
  stacks: readonly Pick<Verdict, 'members'>[],
  live: ReadonlySet<ChangeId>,
): Promise<ReadonlySet<ChangeId>> {
  const others = [...new Set(stacks.flatMap(({ members }) => members))].filter(
    (id) => !live.has(id),
  );
  if (others.length === 0) return new Set();
  const rows = await world.ledger.db
    .selectFrom('change')
    .select('id')
    .where('id', 'in', others)
    .where('status', '=', 'merged')
    .execute();
  return new Set(rows.map(({ id }) => changeId(id)));
}

async function ensureQueue({ world, repo, target, settings }: Place): Promise<Queue> {
  const id = queueId(repo, target);
  const stored = await queueAggregate.load(world.ledger.db, id);
  if (stored !== null) return stored.state;
  const made = await world.ledger.write(ENGINE, async (tx) => {
    const again = await tx.load(queueAggregate, id);
    if (again !== null) return ok(again.state);
    return ok(
      await tx.record(queueAggregate, id, [{ type: 'queue-opened', repo: repoName(repo), target }]),
    );
  });
  if (!made.ok) throw new Error(`The queue ${id} of ${settings.prefix} could not be opened`);
  return made.value;
}

/** True when the step changed what the planner sees at once. */
async function perform(place: Place, seen: Seen, step: QueueStep): Promise<boolean> {
  const { memory, repository, settings } = place;
  if (memory.retired) return false;
  switch (step.do) {
    case 'merge-tree': {
      const built = await buildStack(
        repository,
        settings.strategy,
        step.base,
        step.members,
        seen.changes,
        seen.titles,
        memory.merges,
      );
      if (!built.ok) return false;
      memory.stacks.set(built.value.key, built.value.built);
      return true;
    }
    case 'cancel': {
      memory.running.get(step.verification)?.stop.abort();
      return memory.running.delete(step.verification);
    }
    case 'land':
      return landOrWait(place, seen, step);
    case 'eject':
      return ejectChange(place, seen, step);
    default:
      return false;
  }
}

/** A target that cannot be moved is not tried again at every turn of the loop. */
async function landOrWait(
  place: Place,
  seen: Seen,
  step: Extract<QueueStep, { do: 'land' }>,
): Promise<boolean> {
  const { memory, world } = place;
  crashPoint('landing-planned');
  const moved = byPulls(place)
    ? await deliverByPull(place, seen, step)
    : await land(place, seen, step);
  crashPoint('landing-done');
  const { waitMs } = memory.landing;
  memory.landing = moved
    ? { after: 0, waitMs: LEAST_WAIT_MS }
    : { after: world.timers.monotonic() + waitMs, waitMs: Math.min(2 * waitMs, MOST_WAIT_MS) };
  return moved;
}
