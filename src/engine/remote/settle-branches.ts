import { type BranchPending, type Convoy, hasEnded } from '../../domain/convoy/convoy.ts';
import { decideConvoy } from '../../domain/convoy/decide.ts';
import type { ConvoyCommand } from '../../domain/convoy/events.ts';
import { type Branch, branchId } from '../../domain/remote/branch.ts';
import { inTheWay } from '../../domain/remote/in-the-way.ts';
import { branchAggregate } from '../../ledger/aggregates/branch.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { repoAggregate } from '../../ledger/aggregates/repo.ts';
import { convoyAttempts } from '../../ledger/queries/convoy-attempts.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { BranchName, CommitId } from '../../ports/repository.ts';
import type { Settings } from '../../ports/settings.ts';
import { crashPoint } from '../crash-points.ts';
import { freeName, isWithin, nameBranches, recordName } from '../name-branches.ts';
import { ensureBranch, integrationBranch, landingTargetOf, mergeModeOf } from '../targets.ts';
import { ENGINE, type World } from '../world.ts';
import {
  noAnswerWords,
  type Origin,
  originAnswered,
  originFailed,
  reposOf,
  seeOrigin,
} from './origin.ts';
import { isDue, type Publishing, recordAs } from './publishing.ts';
import { branchMoved } from './want-branch.ts';

/**
 * Whether a convoy has to wait for the remotes of its repos before anything of it starts. It says so from
 * here on; whoever settles it is another loop, because a remote may take its time.
 */
export async function awaitsRemotes(
  world: World,
  settings: Settings,
  convoy: Convoy,
): Promise<boolean> {
  if (convoy.branchSlug !== undefined) return false;
  if ((await convoyAttempts(world.ledger.db, convoy.id)).length > 0) return false;
  for (const name of await reposOf(world, convoy)) {
    if ((await seeOrigin(world, settings, name)).kind === 'none') continue;
    await world.ledger.write(ENGINE, async (tx) => {
      const stored = await tx.load(convoyAggregate, convoy.id);
      const command = { type: 'await-branches', ...unasked(name) } as const;
      const decision = stored === null ? null : decideConvoy(stored.state, command);
      if (decision?.ok !== true) return err('moved on');
      if (decision.value.length > 0) await tx.record(convoyAggregate, convoy.id, decision.value);
      return ok(null);
    });
    crashPoint('branches-pending');
    return true;
  }
  return false;
}

const unasked = (repo: string): BranchPending => ({
  reason: `origin of ${repo} has not answered yet`,
  held: false,
});

/**
 * Takes the next step towards a convoy's branch on every remote: asks whether the name is free, records
 * it, has the branch pushed, and lets the convoy start once all of them hold it. One that does not
 * answer is asked again later; nothing is ever built on a name that may be somebody else's.
 */
export async function settleBranches(place: Publishing, convoy: Convoy): Promise<void> {
  const { world, settings } = place;
  const origins = await originsOf(place, convoy);
  if (!origins.ok) return tell(place, convoy, { type: 'await-branches', ...origins.error });
  if (origins.value.length === 0) {
    await nameBranches(world, settings, convoy);
    return tell(place, convoy, { type: 'settle-branches' });
  }
  const named = await nameOnRemotes(place, convoy, origins.value);
  if (!named.ok) return tell(place, convoy, { type: 'await-branches', ...named.error });
  const missing = await missingOn(place, named.value, origins.value);
  await tell(
    place,
    convoy,
    missing === null ? { type: 'settle-branches' } : { type: 'await-branches', ...missing },
  );
  if (missing === null) crashPoint('branches-settled');
}

async function originsOf(
  place: Publishing,
  convoy: Convoy,
): Promise<Result<Origin[], BranchPending>> {
  const { world, settings } = place;
  const origins: Origin[] = [];
  for (const name of await reposOf(world, convoy)) {
    const seen = await seeOrigin(world, settings, name);
    if (seen.kind === 'trouble') {
      const { reason, held } = seen;
      if (isDue(place, place.memory.origins.get(name)))
        await originFailed(place, name, { reason, held });
      return err({ reason, held });
    }
    if (seen.kind === 'there') origins.push(seen.origin);
  }
  return ok(origins);
}

/** The convoy with a name that was free everywhere when it was asked for. */
async function nameOnRemotes(
  place: Publishing,
  convoy: Convoy,
  origins: readonly Origin[],
): Promise<Result<Convoy, BranchPending>> {
  const { world, settings } = place;
  const lost = convoy.branchSlug === undefined ? [] : await takenMeanwhile(place, convoy, origins);
  if (convoy.branchSlug !== undefined && lost.length === 0) return ok(convoy);
  const resting = origins.find(({ repo }) => !isDue(place, place.memory.origins.get(repo)));
  if (resting !== undefined) return err(await troubleOf(place, resting.repo, null));
  const listed = await listings(place, origins);
  if (!listed.ok) return listed;
  crashPoint('remotes-asked');
  const name = await freeName(world, settings, convoy, (head) =>
    isFreeOn(world, head, origins, listed.value),
  );
  if (name === null) return err({ reason: 'every name for it is taken', held: true });
  await giveUp(place, lost);
  const named = await recordName(world, convoy, name);
  crashPoint('branches-named');
  return named === null
    ? err({ reason: 'its name could not be recorded', held: false })
    : ok(named);
}

/** Between the question and the push somebody else took the name: it is given up in every repo. */
async function takenMeanwhile(
  { world }: Publishing,
  convoy: Convoy,
  origins: readonly Origin[],
): Promise<Branch[]> {
  const branches: Branch[] = [];
  for (const { repo } of origins) {
    const id = branchId(repo, integrationBranch(convoy));
    const stored = await branchAggregate.load(world.ledger.db, id);
    if (stored !== null) branches.push(stored.state);
  }
  return branches.some(({ trouble }) => trouble?.held === true) ? branches : [];
}

async function giveUp(place: Publishing, branches: readonly Branch[]): Promise<void> {
  if (branches.length === 0) return;
  await recordAs(place, async (tx) => {
    for (const { id } of branches)
      await tx.record(branchAggregate, id, [{ type: 'branch-unwanted' }]);
    return ok(null);
  });
}

type Listed = readonly { readonly name: BranchName; readonly commit: CommitId }[];

async function listings(
  place: Publishing,
  origins: readonly Origin[],
): Promise<Result<ReadonlyMap<string, Listed>, BranchPending>> {
  const answers = await Promise.all(
    origins.map(async (origin) => ({
      ...origin,
      answer: await origin.repository.remote.list(origin.url, 'convoy/'),
    })),
  );
  const listed = new Map<string, Listed>();
  let pending: BranchPending | null = null;
  for (const { answer, ...origin } of answers) {
    const { repo } = origin;
    if (answer.ok) {
      await originAnswered(place, origin);
      listed.set(repo, answer.value);
      continue;
    }
    const reason = noAnswerWords(answer.error);
    await originFailed(place, repo, { reason, held: false });
    pending ??= inRepo(repo, reason);
  }
  return pending === null ? ok(listed) : err(pending);
}

const inRepo = (repo: string, reason: string): BranchPending => ({
  reason: `${reason} (${repo})`,
  held: false,
});

/** Free, or holding nothing that we do not build on anyway. */
async function isFreeOn(
  world: World,
  head: string,
  origins: readonly Origin[],
  listed: ReadonlyMap<string, Listed>,
): Promise<boolean> {
  for (const { repo, settings, repository } of origins)
    for (const { name, commit } of inTheWay(head, listed.get(repo) ?? [])) {
      if (name !== head) return false;
      const ours = await branchAggregate.load(world.ledger.db, branchId(repo, name));
      if (ours?.state.last === commit) continue;
      const target = await landingTargetOf(world, settings);
      if (!(await isWithin(repository.facts, commit, target))) return false;
    }
  return true;
}

/** Why the convoy's branch is not on all remotes yet; null when it is. */
async function missingOn(
  place: Publishing,
  convoy: Convoy,
  origins: readonly Origin[],
): Promise<BranchPending | null> {
  let pending: BranchPending | null = null;
  for (const origin of origins) {
    // Where each change goes to the target by itself there is no branch to collect them on.
    if (mergeModeOf(convoy, origin.settings) === 'review-then-land')
      pending = (await missingIn(place, convoy, origin)) ?? pending;
  }
  return pending;
}

async function missingIn(
  place: Publishing,
  convoy: Convoy,
  origin: Origin,
): Promise<BranchPending | null> {
  const { repo } = origin;
  const offered = await offer(place, convoy, origin);
  if (!offered.ok) return inRepo(repo, offered.error);
  const id = branchId(repo, integrationBranch(convoy));
  const branch = (await branchAggregate.load(place.world.ledger.db, id))?.state ?? null;
  return (branch?.pushed ?? null) === null ? troubleOf(place, repo, branch) : null;
}

/** What is known to keep a branch from its remote. */
async function troubleOf(
  { world }: Publishing,
  repo: string,
  branch: Branch | null,
): Promise<BranchPending> {
  const origin = (await repoAggregate.load(world.ledger.db, repo))?.state.origin;
  const reason = origin?.trouble?.reason ?? branch?.trouble?.reason;
  return reason === undefined ? unasked(repo) : inRepo(repo, reason);
}

/** The branch begins where the convoy is based, and is to be on the remote. */
async function offer(
  place: Publishing,
  convoy: Convoy,
  { repo, settings, repository }: Origin,
): Promise<Result<null, string>> {
  const { world } = place;
  const branch = integrationBranch(convoy);
  const base = convoy.options.baseBranches[repo];
  const head = await ensureBranch(
    repository,
    branch,
    async () => base ?? landingTargetOf(world, settings),
  );
  if (!head.ok) return head;
  await recordAs(place, async (tx) => {
    await branchMoved(world, tx, { repo, branch, convoy: convoy.id, commit: head.value });
    return ok(null);
  });
  crashPoint('branch-wanted');
  return ok(null);
}

async function tell(place: Publishing, { id }: Convoy, command: ConvoyCommand): Promise<void> {
  await recordAs(place, async (tx) => {
    const stored = await tx.load(convoyAggregate, id);
    if (stored === null || hasEnded(stored.state.status)) return err('ended');
    const decision = decideConvoy(stored.state, command);
    if (!decision.ok || decision.value.length === 0) return err('nothing to do');
    await tx.record(convoyAggregate, id, decision.value);
    return ok(null);
  });
}
