import { type Convoy, hasEnded } from '../domain/convoy/convoy.ts';
import { decideConvoy } from '../domain/convoy/decide.ts';
import { branchNames, numbered, slug } from '../domain/convoy/slug.ts';
import { convoyAggregate } from '../ledger/aggregates/convoy.ts';
import { convoyAttempts } from '../ledger/queries/convoy-attempts.ts';
import { err, ok } from '../lib/result.ts';
import type { Repository } from '../ports/repository.ts';
import type { RepoSettings, Settings } from '../ports/settings.ts';
import { reposOf } from './remote/origin.ts';
import { landingTargetOf, repositoryOf } from './targets.ts';
import { ENGINE, type World } from './world.ts';

const MOST_NAMES = 50;

/**
 * Settles once how the convoy's branches are called, before the first of them is made. A name that
 * holds somebody else's work in one repo gets a number in all of them; a later title changes nothing.
 */
export async function nameBranches(
  world: World,
  settings: Settings,
  given: Convoy,
): Promise<Convoy> {
  if (given.branchSlug !== undefined) return given;
  const stored = await convoyAggregate.load(world.ledger.db, given.id);
  if (stored === null || stored.state.branchSlug !== undefined) return stored?.state ?? given;
  const convoy = stored.state;
  const first = slug(convoy.title);
  const hasBegun = (await convoyAttempts(world.ledger.db, convoy.id)).length > 0;
  const free = hasBegun ? first : await freeName(world, settings, convoy);
  return (await recordName(world, convoy, free ?? first)) ?? convoy;
}

export async function recordName(
  world: World,
  { id }: Convoy,
  name: string,
): Promise<Convoy | null> {
  const named = await world.ledger.write(ENGINE, async (tx) => {
    const again = await tx.load(convoyAggregate, id);
    if (again === null || hasEnded(again.state.status)) return err('ended');
    const decision = decideConvoy(again.state, { type: 'name-branches', slug: name });
    if (!decision.ok || decision.value.length === 0) return err('named');
    return ok(await tx.record(convoyAggregate, id, decision.value));
  });
  return named.ok ? named.value : null;
}

/** The first name that is free in every repo, and elsewhere if that is asked; null when none is. */
export async function freeName(
  world: World,
  settings: Settings,
  convoy: Convoy,
  isFreeElsewhere: (head: string) => Promise<boolean> = async () => true,
): Promise<string | null> {
  const repos = (await reposOf(world, convoy)).flatMap((name) => settings.repos[name] ?? []);
  const first = slug(convoy.title);
  for (let number = 1; number <= MOST_NAMES; number++) {
    const name = numbered(first, number);
    const { head } = branchNames(name, convoy.id);
    let isFree = await isFreeElsewhere(head);
    for (const repo of repos) isFree &&= await isFreeIn(world, repo, head);
    if (isFree) return name;
    world.log(`${convoy.id}: ${head} is taken by other work`);
  }
  return null;
}

/** Free, or ours to use because it holds nothing that the target lacks. */
async function isFreeIn(world: World, repo: RepoSettings, branch: string): Promise<boolean> {
  const repository = await repositoryOf(world, repo);
  if (!repository.ok) return true;
  const { branches, facts } = repository.value;
  const taken = await branches.taken(branch);
  if (!taken.ok || taken.value === null) return true;
  if (taken.value !== branch) return false;
  const head = await facts.head(branch);
  return head.ok && isWithin(facts, head.value, await landingTargetOf(world, repo));
}

/** Whether a branch holds a commit; what git cannot say is no. */
export async function isWithin(
  facts: Repository['facts'],
  commit: string | null,
  branch: string | null,
): Promise<boolean> {
  const onto = branch === null ? null : await facts.head(branch);
  if (commit === null || onto?.ok !== true || onto.value === null) return false;
  const inside = await facts.isAncestor(commit, onto.value);
  return inside.ok && inside.value;
}
