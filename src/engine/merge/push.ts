import type { Landing } from '../../domain/merge/queue.ts';
import { queueId } from '../../domain/merge/queue.ts';
import { addressOf } from '../../domain/remote/address.ts';
import { queueAggregate } from '../../ledger/aggregates/queue.ts';
import { ok } from '../../lib/result.ts';
import { ENGINE } from '../world.ts';
import type { Place } from './queue-run.ts';

/** Where a target also lives, and where it was seen there; null keeps everything on this machine. */
export type Upstream = { readonly url: string; readonly head: string | null };

/** What a look at the remote came to. */
export type Synced =
  | { readonly kind: 'ready'; readonly upstream: Upstream | null }
  /** Nothing may be moved; why is recorded on the queue. */
  | { readonly kind: 'held' }
  /** The remote did not answer: verify on, land nothing. */
  | { readonly kind: 'unreachable'; readonly upstream: { readonly url: string } };

/**
 * Brings what others pushed here before anything is built on the target, and refuses to go on when
 * the target no longer is what we left.
 */
export async function syncTarget(
  place: Place,
  look: (place: Place) => Promise<Synced>,
): Promise<void> {
  const { memory, world } = place;
  if (world.timers.monotonic() < memory.syncedAt + FRESH_MS) return;
  memory.synced = await look(place);
  memory.syncedAt = world.timers.monotonic();
}

/** A look at the remote is good for a while: the lease of the push catches what it missed. */
const FRESH_MS = 2000;

/** The copy on the remote that a landing is pushed to. */
export async function lookAtRemote(place: Place): Promise<Synced> {
  const { target, repository } = place;
  const lost = await lostLanding(place);
  if (lost !== null) return hold(place, lost);
  const url = await remoteUrl(place);
  if (url === null) return release(place, null);
  const changed = await remoteChanged(place, url);
  if (changed !== null) return hold(place, changed);
  const theirs = await repository.remote.fetch(url, target);
  if (!theirs.ok) return { kind: 'unreachable', upstream: { url } };
  const upstream = { url, head: theirs.value };
  const apart = theirs.value === null ? null : await catchUp(place, theirs.value);
  return apart === null ? release(place, upstream) : hold(place, apart);
}

/** Branches that Convoy makes move here first; their copies on a remote follow, and no queue waits for that. */
export const isOurs = (target: string): boolean => target.startsWith('convoy/');

async function remoteUrl({ target, settings, repository }: Place): Promise<string | null> {
  if (isOurs(target) || settings.delivery !== 'direct') return null;
  return originUrl(repository);
}

export async function originUrl(repository: Place['repository']): Promise<string | null> {
  const described = await repository.facts.describe();
  if (!described.ok) return null;
  return described.value.remotes.find(({ name }) => name === 'origin')?.url ?? null;
}

/** Moves the target here to where it is on the remote, or says why that cannot be. */
export async function catchUp(place: Place, theirs: string): Promise<string | null> {
  const { target, repository } = place;
  const here = await repository.facts.head(target);
  if (!here.ok || here.value === null) return `there is no branch ${target} here`;
  if (await contains(place, here.value, theirs)) return null;
  if (!(await contains(place, theirs, here.value))) return wentApart(place, theirs);
  const moved = await repository.landing.advance(target, theirs, here.value);
  if (moved.ok || moved.error.kind === 'target_moved') return null;
  return moved.error.kind === 'target_checkout_dirty'
    ? `${target} moved on origin, and its checkout here has uncommitted changes`
    : `${target} could not follow origin: ${moved.error.kind}`;
}

async function contains({ repository }: Place, whole: string, part: string): Promise<boolean> {
  const answer = await repository.facts.isAncestor(part, whole);
  return answer.ok && answer.value;
}

async function wentApart(place: Place, theirs: string): Promise<string> {
  const { world, repo, target } = place;
  const queue = await queueAggregate.load(world.ledger.db, queueId(repo, target));
  const landed = queue?.state.landed ?? null;
  return landed === null || (await contains(place, theirs, landed))
    ? `${target} here and on origin have gone different ways`
    : `${target} on origin no longer contains ${landed}, which landed there: it was force-pushed`;
}

/** The last landing must still be in the target, also when somebody reset it on this machine. */
export async function lostLanding({
  world,
  repo,
  target,
  repository,
}: Place): Promise<string | null> {
  const queue = await queueAggregate.load(world.ledger.db, queueId(repo, target));
  const landed = queue?.state.landed ?? null;
  if (landed === null) return null;
  const head = await repository.facts.head(target);
  if (!head.ok || head.value === null) return null;
  const kept = await repository.facts.isAncestor(landed, head.value);
  const isLost = kept.ok ? !kept.value : kept.error.kind === 'unknown_revision';
  return isLost ? `${target} no longer contains ${landed}, which landed there` : null;
}

/**
 * An agent can write the repository's configuration: a new address needs a person's word. Who asks there and with
 * which password is no part of it, and is neither kept nor told.
 */
export async function remoteChanged(
  { world, repo, target }: Place,
  url: string,
): Promise<string | null> {
  const id = queueId(repo, target);
  const queue = await queueAggregate.load(world.ledger.db, id);
  if (queue === null) return null;
  const now = addressOf(url);
  const known = queue.state.remote ?? null;
  if (known !== null)
    return addressOf(known) === now ? null : `origin changed from ${addressOf(known)} to ${now}`;
  await world.ledger.write(ENGINE, async (tx) => {
    await tx.record(queueAggregate, id, [{ type: 'remote-recorded', url: now }]);
    return ok(null);
  });
  return null;
}

export async function hold({ world, repo, target }: Place, reason: string): Promise<Synced> {
  const id = queueId(repo, target);
  await world.ledger.write(ENGINE, async (tx) => {
    const queue = await tx.load(queueAggregate, id);
    if (queue !== null && queue.state.held !== reason)
      await tx.record(queueAggregate, id, [{ type: 'queue-held', reason }]);
    return ok(null);
  });
  return { kind: 'held' };
}

export async function release(
  { world, repo, target }: Place,
  upstream: Upstream | null,
): Promise<Synced> {
  const id = queueId(repo, target);
  const queue = await queueAggregate.load(world.ledger.db, id);
  if ((queue?.state.held ?? null) !== null)
    await world.ledger.write(ENGINE, async (tx) => {
      await tx.record(queueAggregate, id, [{ type: 'queue-released', by: 'engine' }]);
      return ok(null);
    });
  return { kind: 'ready', upstream };
}

/** How a push ended: an unknown end is settled later by looking at the remote. */
export type Pushed = 'done' | 'moved' | 'refused' | 'unknown';

export async function pushLanding(
  { repository, target, world }: Place,
  landing: Landing,
  upstream: Upstream,
): Promise<Pushed> {
  const pushed = await repository.remote.push({
    url: upstream.url,
    branch: target,
    commit: landing.commit,
    expected: upstream.head,
  });
  if (pushed.ok) return 'done';
  const { error } = pushed;
  world.log(`push of ${target}: ${error.kind} ${'detail' in error ? error.detail : ''}`);
  if (error.kind !== 'push_rejected')
    return error.kind === 'errored' || error.kind === 'stopped' ? 'unknown' : 'refused';
  return error.reason === 'refused_by_remote' ? 'refused' : 'moved';
}

const LONGEST_WAIT_MS = 300_000;

/** Each failed push waits twice as long as the one before. */
export function backOff({ memory, world }: Place): void {
  const settings = world.settings.read();
  const first = settings.ok ? settings.value.workspace.backoffMs : 5000;
  const wait = Math.min(LONGEST_WAIT_MS, first * 2 ** memory.push.failures);
  memory.push = { failures: memory.push.failures + 1, retryAt: world.timers.monotonic() + wait };
}
