import type { Change } from '../../domain/merge/change.ts';
import { queueId } from '../../domain/merge/queue.ts';
import type { QueueStep } from '../../domain/merge/queue-view.ts';
import { queueAggregate } from '../../ledger/aggregates/queue.ts';
import { ok } from '../../lib/result.ts';
import { type Forge, type ForgeProblem, forgeWords, type PullRequest } from '../../ports/forge.ts';
import { crashPoint } from '../crash-points.ts';
import { ENGINE } from '../world.ts';
import { answerAbout } from './answers.ts';
import { recordMerge } from './land.ts';
import { landingIn } from './landing-in.ts';
import { firstWaitMs, isProposed, tell } from './pull-place.ts';
import { propose } from './pull-propose.ts';
import { wordsFor } from './pull-words.ts';
import { catchUp, hold } from './push.ts';
import type { Seen } from './look.ts';
import type { Place } from './queue-run.ts';
import type { Built } from './stack.ts';

/** A change whose tree on top of the target is green: proposed, or merged when it was approved. */
export async function deliverByPull(
  place: Place,
  { changes }: Seen,
  step: Extract<QueueStep, { do: 'land' }>,
): Promise<boolean> {
  const { memory } = place;
  const { forge } = memory.pulls;
  const { synced } = memory;
  const [id, ...others] = step.members;
  const change = id === undefined ? undefined : changes.get(id);
  const built = [...memory.stacks.values()].find(
    ({ tree, members }) => tree === step.tree && members.join() === step.members.join(),
  );
  if (forge === null || change === undefined || built === undefined || others.length > 0)
    return false;
  // Verified on top of what origin had: when that moved, it is verified again first.
  if (synced.kind !== 'ready' || synced.upstream?.head !== step.base) return false;
  return isProposed(change)
    ? merge(place, forge, change, built, step.base)
    : propose(place, forge, change, built, step.base);
}

async function merge(
  place: Place,
  forge: Forge,
  change: Change,
  built: Built,
  onto: string,
): Promise<boolean> {
  const { world, settings, memory } = place;
  const number = change.pull?.number ?? 0;
  const { tree } = built;
  const { news } = memory.pulls;
  // The forge has no lease on the target, so the last look at it is right before the merge.
  if ((await fetched(place)) !== onto) {
    memory.syncedAt = -Infinity;
    return false;
  }
  if (!(await tell(world, change.id, { type: 'intend-merge', onto, tree }))) return true;
  crashPoint('merge-intended');
  const { title } = await wordsFor(place, change, { onto, tree });
  const done = await forge.merge(number, {
    head: change.head,
    strategy: settings.strategy,
    title: `${title} (#${number})`,
    message: `Convoy: ${change.id}`,
  });
  crashPoint('pull-merged');
  // Whatever it said: the next look sees what became of it, and git proves it.
  memory.syncedAt = -Infinity;
  if (done.ok) {
    memory.pulls.looks.delete(change.id);
    return true;
  }
  await notMerged(place, change, done.error, news);
  return false;
}

async function notMerged(
  place: Place,
  change: Change,
  problem: ForgeProblem,
  news: number,
): Promise<void> {
  const { world, memory } = place;
  const { looks } = memory.pulls;
  const before = looks.get(change.id);
  // Somebody has to change a rule or a setting; time alone will not.
  const stuck = problem.kind === 'not_mergeable' && problem.because === 'method';
  await tell(world, change.id, {
    type: 'see-pull',
    state: 'open',
    by: null,
    waits: forgeWords(problem),
    stuck,
  });
  // The forge names an hour of the day; waits here go by the monotonic clock.
  const rest = problem.kind === 'rate_limited' ? problem.until - world.now() : firstWaitMs(world);
  const later = world.timers.monotonic() + rest;
  // News that came while the forge was asked to merge is looked at first.
  const dueAt = news === memory.pulls.news ? later : 0;
  const own = before?.own ?? '';
  looks.set(change.id, { dueAt, waitMs: firstWaitMs(world), ready: false, mergesInto: null, own });
}

/**
 * The forge says that a pull request is merged. Only git makes it so: the target is fetched, and the
 * landing has to be in it and to leave nothing of the change out, whatever the strategy was.
 */
export async function recordPulled(
  place: Place,
  change: Change,
  pull: PullRequest,
): Promise<boolean> {
  const { world, target, memory } = place;
  const { number, endedBy: by } = pull;
  const theirs = await fetched(place);
  if (theirs === null) return false;
  const landed = await landingIn(place.repository, change.head, pull.mergeCommit, theirs);
  if (landed === null) {
    const waits = `the forge says that #${number} is merged, and ${target} on origin does not show it`;
    await tell(world, change.id, { type: 'see-pull', state: 'merged', by, waits, stuck: false });
    return false;
  }
  const apart = await catchUp(place, theirs);
  if (apart !== null) {
    await hold(place, apart);
    return false;
  }
  memory.syncedAt = -Infinity;
  if (!(await record(place, change, landed))) return false;
  await tell(world, change.id, {
    type: 'see-pull',
    state: 'merged',
    by,
    waits: null,
    stuck: false,
  });
  return true;
}

async function fetched({ repository, target, memory }: Place): Promise<string | null> {
  const url = memory.synced.kind === 'held' ? undefined : memory.synced.upstream?.url;
  const theirs = url === undefined ? null : await repository.remote.fetch(url, target);
  return theirs?.ok === true ? theirs.value : null;
}

/** Merged, with git's proof; a tree that no gate has seen is said to be unverified. */
async function record(place: Place, change: Change, landed: string): Promise<boolean> {
  const { world, repository, target, repo, settings } = place;
  const tree = await repository.facts.treeOf(landed);
  if (!tree.ok) return false;
  const proof = await repository.landing.prove(landed, target, change.head, tree.value);
  if (!proof.ok || !proof.value.holds) return false;
  const ungated = settings.gates.length === 0;
  const said = await answerAbout(world.ledger.db, repo, settings, tree.value);
  const unseen = !ungated && said?.colour !== 'green';
  const shown = { commit: landed, tree: tree.value, verifiedTree: tree.value };
  await world.ledger.write(ENGINE, async (tx) => {
    const proved = { ...shown, contained: true, addsNothing: true };
    const merged = await recordMerge(tx, change.id, proved, ungated, unseen);
    await tx.record(queueAggregate, queueId(repo, target), [
      { type: 'landing-settled', landed },
      { type: 'queue-counted', merged: merged ? 1 : 0, red: 0 },
    ]);
    return ok(null);
  });
  return true;
}
