import { isInQueue, type LandingProof, type PushWait } from '../../domain/merge/change.ts';
import { decideChange, proofWords } from '../../domain/merge/decide-change.ts';
import { type Landing, queueId } from '../../domain/merge/queue.ts';
import type { QueueStep } from '../../domain/merge/queue-view.ts';
import { decideTask } from '../../domain/work/decide.ts';
import type { ChangeId } from '../../domain/work/ids.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { queueAggregate } from '../../ledger/aggregates/queue.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { rollUp } from '../../ledger/roll-up.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok } from '../../lib/result.ts';
import { crashPoint } from '../crash-points.ts';
import { ENGINE } from '../world.ts';
import { branchMoved } from '../remote/want-branch.ts';
import { stackThatLands } from './landing-stack.ts';
import { backOff, isOurs, pushLanding } from './push.ts';
import type { Seen } from './look.ts';
import type { Place } from './queue-run.ts';

/** Moves the target to the verified commit: intent, effect, proof, record. */
export async function land(
  place: Place,
  seen: Seen,
  step: Extract<QueueStep, { do: 'land' }>,
): Promise<boolean> {
  const { world, repo, target, repository, memory } = place;
  const built = stackThatLands(memory, step);
  if (built === undefined) return false;
  const landing: Landing = {
    base: step.base,
    commit: built.commit,
    tree: step.tree,
    members: step.members,
  };
  const intended = await world.ledger.write(ENGINE, async (tx) => {
    // Whoever was taken out a moment ago does not land any more.
    for (const id of landing.members) {
      const stored = await tx.load(changeAggregate, id);
      if (stored === null || !isInQueue(stored.state.status)) return err('left the queue');
    }
    await tx.record(queueAggregate, queueId(repo, target), [{ type: 'landing-intended', landing }]);
    return ok(null);
  });
  if (!intended.ok) return true;
  crashPoint('landing-intended');
  if (!(await pushFirst(place, landing))) return false;
  const moved = await repository.landing.advance(target, landing.commit, landing.base);
  crashPoint('target-moved');
  // Git knows what came of it; whoever has taken over asks git.
  if (place.memory.retired) return false;
  if (!moved.ok) {
    await notMoved(place, landing, moved.error.kind);
    return false;
  }
  noteOvertaken(place, seen, step.members);
  return recordLanding(place, landing);
}

/**
 * Where the target also lives on a remote, that copy moves first: a push that is refused leaves
 * nothing here to take back.
 */
async function pushFirst(place: Place, landing: Landing): Promise<boolean> {
  const { synced } = place.memory;
  if (synced.kind === 'ready' && synced.upstream === null) return true;
  const pushed =
    synced.kind === 'ready' && synced.upstream !== null
      ? await pushLanding(place, landing, synced.upstream)
      : 'refused';
  if (pushed === 'done') {
    crashPoint('target-pushed');
    const { memory } = place;
    memory.push = { failures: 0, retryAt: 0 };
    if (synced.kind === 'ready' && synced.upstream !== null)
      memory.synced = { kind: 'ready', upstream: { ...synced.upstream, head: landing.commit } };
    return true;
  }
  if (pushed === 'moved') {
    await settleLanding(place);
    place.memory.syncedAt = -Infinity;
    place.wake();
    return false;
  }
  backOff(place);
  await awaitPush(place, landing, 'push_failed');
  // After an unknown end the intent stays: the next pass asks the remote.
  if (pushed === 'refused') await settleLanding(place);
  return false;
}

async function settleLanding({ world, repo, target, memory }: Place): Promise<void> {
  if (memory.retired) return;
  await world.ledger.write(ENGINE, async (tx) => {
    await tx.record(queueAggregate, queueId(repo, target), [{ type: 'landing-settled' }]);
    return ok(null);
  });
}

/** The verified commit waits; its changes say why. */
async function awaitPush({ world }: Place, landing: Landing, because: PushWait): Promise<void> {
  await world.ledger.write(ENGINE, async (tx) => {
    for (const member of landing.members) {
      const stored = await tx.load(changeAggregate, member);
      if (stored?.state.status === 'waiting_push' && stored.state.because === because) continue;
      const decision = decideChange(stored?.state ?? null, {
        type: 'wait-for-push',
        commit: landing.commit,
        tree: landing.tree,
        because,
        at: tx.at,
      });
      if (decision.ok) await tx.record(changeAggregate, member, decision.value);
    }
    return ok(null);
  });
}

/** The target stood still or moved by somebody else: nothing landed, and it says why. */
async function notMoved(place: Place, landing: Landing, kind: string): Promise<void> {
  if (kind === 'target_checkout_dirty') await awaitPush(place, landing, 'target_checkout_dirty');
  // What the remote already has is no longer ours to take back: the intent stays until both agree.
  const { synced } = place.memory;
  if (synced.kind === 'ready' && synced.upstream === null) await settleLanding(place);
}

/** After a crash or an unknown end git says what happened; false while git cannot say. */
export async function healLanding(place: Place): Promise<boolean> {
  const { world, repo, target, repository } = place;
  const stored = await queueAggregate.load(world.ledger.db, queueId(repo, target));
  const landing = stored?.state.landing ?? null;
  if (landing === null) return true;
  const head = await repository.facts.head(target);
  if (!head.ok || head.value === null) return false;
  const landed = await repository.facts.isAncestor(landing.commit, head.value);
  if (!landed.ok) return false;
  if (landed.value) return recordLanding(place, landing);
  const isAway = await isOnRemote(place, landing);
  // The remote has it, or may have it: the target here follows before anything else happens.
  if (isAway !== false) return false;
  await settleLanding(place);
  return true;
}

/** Whether a remote copy of the target holds the landing; null when it does not answer. */
async function isOnRemote(
  { memory, repository }: Place,
  landing: Landing,
): Promise<boolean | null> {
  const { synced } = memory;
  if (synced.kind !== 'ready') return null;
  if (synced.upstream === null || synced.upstream.head === null) return false;
  const inside = await repository.facts.isAncestor(landing.commit, synced.upstream.head);
  return inside.ok ? inside.value : null;
}

/** Each change counts as merged only with its own proof; all of a landing in one transaction. */
async function recordLanding(place: Place, landing: Landing): Promise<boolean> {
  const { world, repo, target, repository, settings } = place;
  const proofs = new Map<ChangeId, LandingProof>();
  const shown = await Promise.all(
    landing.members.map(async (id) => {
      const stored = await changeAggregate.load(world.ledger.db, id);
      if (stored === null) return null;
      const { head } = stored.state;
      const proof = await repository.landing.prove(landing.commit, target, head, landing.tree);
      return { id, proof, convoy: stored.state.convoy };
    }),
  );
  for (const each of shown) {
    if (each === null) continue;
    const { id, proof } = each;
    if (!proof.ok) return false;
    proofs.set(id, {
      commit: landing.commit,
      tree: proof.value.treeMatches ? landing.tree : 'another',
      verifiedTree: landing.tree,
      contained: proof.value.ancestor,
      addsNothing: proof.value.contained,
    });
  }
  await world.ledger.write(ENGINE, async (tx) => {
    let merged = 0;
    for (const [id, proof] of proofs)
      if (await recordMerge(tx, id, proof, settings.gates.length === 0)) merged += 1;
    await tx.record(queueAggregate, queueId(repo, target), [
      { type: 'landing-settled', landed: landing.commit },
      { type: 'queue-counted', merged, red: 0 },
    ]);
    // The target itself was pushed before it moved; a convoy's own branch follows by itself.
    const convoy = shown.find((each) => each !== null)?.convoy ?? null;
    if (isOurs(target) && convoy !== null)
      await branchMoved(world, tx, { repo, branch: target, convoy, commit: landing.commit });
    return ok(null);
  });
  return true;
}

export async function recordMerge(
  tx: Tx,
  id: ChangeId,
  proof: LandingProof,
  unverified: boolean,
  /** No gate was asked about the tree, though there are some. */
  unseen = false,
): Promise<boolean> {
  const stored = await tx.load(changeAggregate, id);
  const decision = decideChange(stored?.state ?? null, {
    type: 'record-merge',
    proof,
    ...(unseen ? { unverified: true } : {}),
    at: tx.at,
  });
  if (!decision.ok || stored === null) return false;
  await tx.record(changeAggregate, id, decision.value);
  const change = stored.state;
  if (change.landing === true) {
    await rollUpEpic(tx, change.task);
    return true;
  }
  const task = await tx.load(taskAggregate, change.task);
  if (task === null) return true;
  const merged = {
    target: change.target,
    commit: proof.commit,
    tree: proof.tree,
    proof: proofWords(unseen),
    unverified: unverified || unseen,
  };
  const moved = decideTask(task.state, { type: 'merge', change: id, merged });
  if (moved.ok) {
    await tx.record(taskAggregate, change.task, moved.value);
    await rollUp(tx, change.task);
  }
  return true;
}

/** A sub-epic whose branch has landed may be done. */
async function rollUpEpic(tx: Tx, epic: string): Promise<void> {
  const child = await tx.db
    .selectFrom('task')
    .select('id')
    .where('parent', '=', epic)
    .executeTakeFirst();
  if (child !== undefined) await rollUp(tx, child.id);
}

function noteOvertaken({ memory }: Place, { view }: Seen, landed: readonly ChangeId[]): void {
  const order = view.entries.map(({ id }) => id);
  const last = Math.max(...landed.map((id) => order.indexOf(id)));
  for (const id of order.slice(0, Math.max(0, last)))
    if (!landed.includes(id)) memory.overtaken.set(id, (memory.overtaken.get(id) ?? 0) + 1);
}
