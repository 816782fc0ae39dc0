import type { Change } from '../../domain/merge/change.ts';
import { planPulls } from '../../domain/merge/plan-pulls.ts';
import { planQueue } from '../../domain/merge/plan.ts';
import { queueId } from '../../domain/merge/queue.ts';
import type { QueueStep, Verification } from '../../domain/merge/queue-view.ts';
import type { ChangeId } from '../../domain/work/ids.ts';
import { openChanges } from '../../ledger/queries/changes.ts';
import type { Repository } from '../../ports/repository.ts';
import type { RepoSettings } from '../../ports/settings.ts';
import type { ReviewMemory } from '../review/run-reviewer.ts';
import { repositoryOf } from '../targets.ts';
import { crashPoint } from '../crash-points.ts';
import type { World } from '../world.ts';
import { ejectChange } from './eject.ts';
import { ensureQueue } from './ensure-queue.ts';
import { healLanding, land } from './land.ts';
import { stackThatLands } from './landing-stack.ts';
import { look, type OnItsWay, type Seen } from './look.ts';
import { restsAtForge } from './pull-follow.ts';
import { deliverByPull } from './pull-land.ts';
import { byPulls, isProposed, noPulls, type PullMemory } from './pull-place.ts';
import { anAnswer, dueIn } from './pending-answers.ts';
import { syncQueue } from './pull-sync.ts';
import type { Synced } from './push.ts';
import { startVerifications } from './start-verifications.ts';
import { type Built, buildStack, type KnownMerges } from './stack.ts';

export type Running = Verification & { readonly stop: AbortController; readonly begunAt: number };

/** What one queue remembers between passes; all of it can be lost without harm. */
export type QueueMemory = {
  readonly running: Map<string, Running>;
  /** How long the last gate runs took, by the monotonic clock. */
  took: readonly number[];
  /** Told of each answer. */
  readonly listeners: Set<() => void>;
  /** Gate runs that have not been put away, cancelled ones included. */
  readonly under: Set<Promise<void>>;
  readonly stacks: Map<string, Built>;
  /** Outlives a landing: what was built on the stack that landed is built on the target. */
  readonly merges: KnownMerges;
  readonly overtaken: Map<ChangeId, number>;
  /** When a target that could not be moved is tried again, by the monotonic clock as all waits here. */
  landing: { after: number; waitMs: number };
  /** In the last pass, gate runs were put off until then, for work or answers about to come; 0 when they were not. */
  putOffUntil: number;
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
  took: [],
  listeners: new Set(),
  under: new Set(),
  stacks: new Map(),
  merges: new Map(),
  overtaken: new Map(),
  landing: { after: 0, waitMs: LEAST_WAIT_MS },
  putOffUntil: 0,
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
  tell: Tell,
): Promise<void> {
  memory.putOffUntil = 0;
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
    ...tell,
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
  const steps = await planned(place, seen);
  for (const step of steps) {
    if (step.do === 'verify') continue;
    const done =
      step.do === 'land' && !byPulls(place)
        ? await landGoingOn(place, seen, step)
        : await perform(place, seen, step);
    moved = done || moved;
  }
  // All together: they are recorded at once, so that the last does not begin later for the first.
  const gates = steps.filter((step) => step.do === 'verify');
  return (await startVerifications(place, seen, gates)) || moved;
}

/**
 * While the target moves, the next gate runs begin on what it will be. Should it stay, they told something all
 * the same.
 */
async function landGoingOn(
  place: Place,
  seen: Seen,
  step: Extract<QueueStep, { do: 'land' }>,
): Promise<boolean> {
  const over = new AbortController();
  const built = stackThatLands(place.memory, step);
  const landing = perform(place, seen, step).finally(() => over.abort());
  const goingOn =
    built === undefined ? null : verifyNext(place, { ...built, ...step }, over.signal);
  const [landed, begun] = await Promise.allSettled([landing, goingOn]);
  for (const end of [landed, begun]) if (end.status === 'rejected') throw end.reason;
  return landed.status === 'fulfilled' && landed.value;
}

/**
 * Only with all answers that are about to come: the plan depends on them. When the landing is over first, the
 * next look plans.
 */
async function verifyNext(
  place: Place,
  { commit, tree, members }: OnItsWay,
  over: AbortSignal,
): Promise<void> {
  while (dueIn(place) !== null && !over.aborted) await anAnswer(place, over);
  if (over.aborted || place.memory.retired) return;
  const after = await look(place, { commit, tree, members });
  if (after === null || over.aborted) return;
  const steps = await planned(place, after);
  await startVerifications(
    place,
    after,
    steps.filter((step) => step.do === 'verify'),
  );
}

/** What to do now. Answers about merges change only what is known, so the same look is planned with again. */
async function planned(place: Place, seen: Seen): Promise<QueueStep[]> {
  for (let round = 0; round < MOST_ROUNDS && !place.memory.retired; round++) {
    const steps = byPulls(place) ? planForForge(seen) : planQueue(seen.view);
    const questions = steps.filter((step) => step.do === 'merge-tree');
    if (questions.length === 0 || questions.length < steps.length) return steps;
    const answered = await Promise.all(questions.map((step) => answer(place, seen, step)));
    if (!answered.includes(true)) return [];
  }
  return [];
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
} & Tell;

/** Those outside the queue whom it concerns. */
export type Tell = {
  /** There is something to look at. */
  readonly wake: () => void;
  /** Work has landed: it may have been the last that somebody waits for. */
  readonly landed: () => void;
};

function planForForge({ view, changes }: Seen): QueueStep[] {
  const among = (which: (change: Change) => boolean): ReadonlySet<ChangeId> =>
    new Set([...changes.values()].filter(which).map(({ id }) => id));
  return planPulls(view, among(isProposed), among(couldNot));
}

/** It was to be proposed a moment ago, and that did not work. */
const couldNot = ({ pull }: Change): boolean => pull?.state === 'intended' && pull.waits !== null;

/** True when the step changed what the planner sees at once. */
async function perform(place: Place, seen: Seen, step: QueueStep): Promise<boolean> {
  const { memory } = place;
  if (memory.retired) return false;
  switch (step.do) {
    case 'merge-tree':
      return answer(place, seen, step);
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

async function answer(
  { repository, settings, memory }: Place,
  { changes, titles }: Seen,
  { base, members }: Extract<QueueStep, { do: 'merge-tree' }>,
): Promise<boolean> {
  const { strategy } = settings;
  const built = await buildStack(
    repository,
    strategy,
    base,
    members,
    changes,
    titles,
    memory.merges,
  );
  if (!built.ok) return false;
  memory.stacks.set(built.value.key, built.value.built);
  return true;
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
  if (moved) place.landed();
  const { waitMs } = memory.landing;
  memory.landing = moved
    ? { after: 0, waitMs: LEAST_WAIT_MS }
    : { after: world.timers.monotonic() + waitMs, waitMs: Math.min(2 * waitMs, MOST_WAIT_MS) };
  return moved;
}
