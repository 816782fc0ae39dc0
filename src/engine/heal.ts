import { gateRuns } from '../domain/merge/gate-runs.ts';
import { decideChange } from '../domain/merge/decide-change.ts';
import { isLive } from '../domain/work/attempt.ts';
import { attemptAggregate } from '../ledger/aggregates/attempt.ts';
import { changeAggregate } from '../ledger/aggregates/change.ts';
import { convoyAggregate } from '../ledger/aggregates/convoy.ts';
import { reviewAggregate } from '../ledger/aggregates/review.ts';
import { openChanges } from '../ledger/queries/changes.ts';
import { ok } from '../lib/result.ts';
import { executionId } from '../ports/executor.ts';
import type { Repository } from '../ports/repository.ts';
import type { RepoSettings } from '../ports/settings.ts';
import { isOurVerification } from './merge/verification-id.ts';
import { repositoryOf } from './targets.ts';
import { ENGINE, type World } from './world.ts';

const GRACE_MS = 1000;

/** Puts away what an engine that was killed left behind: gate runs, worktrees, half-moved checkouts. */
export async function healAfterCrash(world: World): Promise<void> {
  const settings = world.settings.read();
  if (!settings.ok) return;
  for (const repo of Object.values(settings.value.repos)) {
    const repository = await repositoryOf(world, repo);
    if (!repository.ok) continue;
    await repository.value.landing.heal();
    await giveBackWorktrees(world, repository.value, repo);
  }
  await forgetVerifications(world);
}

async function giveBackWorktrees(
  world: World,
  repository: Repository,
  repo: RepoSettings,
): Promise<void> {
  const worktrees = await repository.worktrees.list();
  if (!worktrees.ok) return;
  for (const { owner } of worktrees.value) {
    const runs = await leftBy(world, owner, repo);
    if (runs === null) continue;
    for (const run of runs) await world.executor.stop(executionId(run), { graceMs: GRACE_MS });
    await repository.worktrees.release(owner);
  }
}

/** The executions of an owner whose worktree nobody needs any more; null when it is not ours or lives. */
async function leftBy(world: World, owner: string, repo: RepoSettings): Promise<string[] | null> {
  if (isOurVerification(world, owner)) return gateRuns(owner, repo.gates).map(({ id }) => id);
  if (owner.startsWith('rv-')) return leftByReview(world, owner);
  if (!owner.startsWith('at-')) return null;
  // The same repository may serve other workspaces, whose attempts this ledger does not know.
  const stored = await attemptAggregate.load(world.ledger.db, owner);
  if (stored === null || isLive(stored.state.status)) return null;
  const convoy = await convoyAggregate.load(world.ledger.db, stored.state.convoy);
  return convoy?.state.keepWorktrees === true ? null : [owner, `${owner}.setup`];
}

/** A reviewer's worktree is needed while that very try runs; other workspaces' are not ours. */
async function leftByReview(world: World, owner: string): Promise<string[] | null> {
  const [, id, tries] = /^(.+)-(\d+)$/.exec(owner) ?? [];
  const stored = id === undefined ? null : await reviewAggregate.load(world.ledger.db, id);
  if (stored === null) return null;
  const lives = stored.state.status === 'running' && stored.state.tries === Number(tries);
  return lives ? null : [owner];
}

/** No gate run counts any more, so no change is being verified. */
export async function forgetVerifications(world: World): Promise<void> {
  for (const change of await openChanges(world.ledger.db)) {
    if (change.status !== 'verifying') continue;
    await world.ledger.write(ENGINE, async (tx) => {
      for (const verification of change.verifications) {
        const stored = await tx.load(changeAggregate, change.id);
        const decision = decideChange(stored?.state ?? null, {
          type: 'end-verifying',
          verification,
          outcome: 'errored',
          at: tx.at,
        });
        if (decision.ok) await tx.record(changeAggregate, change.id, decision.value);
      }
      return ok(null);
    });
  }
}
