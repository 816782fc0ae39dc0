import type { Change } from '../../domain/merge/change.ts';
import { convoyId } from '../../domain/work/ids.ts';
import { attemptAggregate } from '../../ledger/aggregates/attempt.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { type Forge, type ForgeProblem, forgeWords, type PullRequest } from '../../ports/forge.ts';
import type {
  InvalidUrl,
  NoAnswer,
  PushRejected,
  UnknownRevision,
} from '../../ports/repository.ts';
import { crashPoint } from '../crash-points.ts';
import { integrationBranch } from '../targets.ts';
import { firstWaitMs, tell } from './pull-place.ts';
import { wordsFor } from './pull-words.ts';
import type { Place } from './queue-run.ts';
import type { Built } from './stack.ts';

/**
 * Pushes a verified change and opens its pull request.
 *
 * The intent names the branch, and a branch has at most one pull request of ours: whatever was cut off
 * is found again by it. One that a person closed is never opened again unless a person says so.
 */
export async function propose(
  place: Place,
  forge: Forge,
  change: Change,
  built: Built,
  onto: string,
): Promise<boolean> {
  const { world, memory } = place;
  const branch = await branchOf(place, change);
  if (branch === null) return false;
  const { head } = change;
  if (!(await tell(world, change.id, { type: 'propose', branch, head }))) return true;
  crashPoint('proposal-intended');
  const pushed = await push(place, branch, head);
  if (!pushed.ok) return stays(place, change, built, pushed.error);
  crashPoint('branch-pushed');
  const pull = await ensure(place, forge, change, branch, { onto, tree: built.tree });
  if (!pull.ok) return stays(place, change, built, forgeWords(pull.error), pull.error);
  crashPoint('pull-created');
  const { number, url, state, endedBy: by } = pull.value;
  const isClosed = state === 'closed';
  const recorded = await tell(
    world,
    change.id,
    { type: 'record-proposal', number, url },
    {
      type: 'wait-for-push',
      commit: built.commit,
      tree: built.tree,
      because: isClosed ? 'pull_request_closed' : 'needs_approval',
    },
    ...(isClosed
      ? [{ type: 'see-pull', state, by, waits: closedWords(by), stuck: true } as const]
      : []),
  );
  // What stands there now is looked at in the same pass.
  memory.pulls.looks.delete(change.id);
  memory.push = { failures: 0, retryAt: 0 };
  return recorded;
}

export const closedWords = (by: string | null): string =>
  `it was closed without a merge${by === null ? '' : ` by ${by}`}`;

async function branchOf({ world }: Place, change: Change): Promise<string | null> {
  const { db } = world.ledger;
  if (change.landing === true) {
    const convoy = await convoyAggregate.load(db, convoyId(change.convoy ?? ''));
    return convoy === null ? null : integrationBranch(convoy.state);
  }
  return (await attemptAggregate.load(db, change.attempt))?.state.branch ?? null;
}

/** Forward only: what others put on the branch is never overwritten. */
async function push(place: Place, branch: string, commit: string): Promise<Result<null, string>> {
  const { repository, memory } = place;
  const url = memory.synced.kind === 'ready' ? memory.synced.upstream?.url : undefined;
  if (url === undefined) return err('origin did not answer');
  const there = await repository.remote.head(url, branch);
  if (!there.ok) return err('origin did not answer');
  if (there.value === commit) return ok(null);
  const pushed = await repository.remote.push({ url, branch, commit, expected: there.value });
  if (pushed.ok) return ok(null);
  return rejected(place, url, branch, commit, pushed.error);
}

/** Why it was not pushed; nothing, when it is there all the same. */
async function rejected(
  place: Place,
  url: string,
  branch: string,
  commit: string,
  error: PushRejected | UnknownRevision | InvalidUrl | NoAnswer,
): Promise<Result<null, string>> {
  place.world.log(`push of ${branch}: ${error.kind} ${'detail' in error ? error.detail : ''}`);
  if (error.kind !== 'push_rejected' && error.kind !== 'unknown_revision')
    return err('the push of its branch did not get through');
  if (error.kind === 'push_rejected' && error.reason === 'refused_by_remote')
    return err(`origin refuses its branch: ${error.detail}`);
  return (await isThere(place, url, branch, commit))
    ? ok(null)
    : err(`${branch} on origin has commits of somebody else`);
}

/** Branches of our own are pushed beside the queue too, which may have been quicker. */
async function isThere(
  { repository }: Place,
  url: string,
  branch: string,
  commit: string,
): Promise<boolean> {
  const now = await repository.remote.head(url, branch);
  return now.ok && now.value === commit;
}

/** The pull request of the branch: found, opened again if a person asked for it, or made. */
async function ensure(
  place: Place,
  forge: Forge,
  change: Change,
  branch: string,
  tested: { readonly onto: string; readonly tree: string },
): Promise<Result<PullRequest, ForgeProblem>> {
  const found = await forge.find(branch);
  if (!found.ok) return found;
  const { title, body } = await wordsFor(place, change, tested);
  if (found.value === null) return forge.create({ branch, base: place.target, title, body });
  const { number, state } = found.value;
  if (state === 'merged' && found.value.head !== change.head)
    // The branch went on after its last pull request was merged.
    return forge.create({ branch, base: place.target, title, body });
  if (state === 'closed' && change.pull?.again === true) {
    const opened = await forge.reopen(number);
    if (!opened.ok) return opened;
    return forge.update(number, { body });
  }
  return state === 'open' && found.value.body !== body
    ? forge.update(number, { body })
    : ok(found.value);
}

/** It could not be proposed now: it waits, says why, and is tried again later. */
async function stays(
  place: Place,
  change: Change,
  { commit, tree }: Built,
  why: string,
  problem?: ForgeProblem,
): Promise<false> {
  const { world, memory } = place;
  await tell(
    world,
    change.id,
    { type: 'wait-for-push', commit, tree, because: 'push_failed' },
    { type: 'see-pull', state: 'intended', by: null, waits: why, stuck: false },
  );
  const settings = world.settings.read();
  const first = settings.ok ? settings.value.workspace.backoffMs : 5000;
  const { failures } = memory.push;
  const wait = Math.min(firstWaitMs(world) * 5, first * 2 ** failures);
  // The forge names an hour of the day; waits here go by the monotonic clock.
  const rest = problem?.kind === 'rate_limited' ? problem.until - world.now() : wait;
  memory.push = { failures: failures + 1, retryAt: world.timers.monotonic() + rest };
  return false;
}
