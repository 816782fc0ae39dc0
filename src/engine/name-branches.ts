import { type Convoy, hasEnded } from '../domain/convoy/convoy.ts';
import { decideConvoy } from '../domain/convoy/decide.ts';
import { branchNames, numbered, slug } from '../domain/convoy/slug.ts';
import { convoyAggregate } from '../ledger/aggregates/convoy.ts';
import { convoyAttempts } from '../ledger/queries/convoy-attempts.ts';
import { convoyMembers } from '../ledger/queries/convoy-members.ts';
import { tasksById } from '../ledger/queries/task-list.ts';
import { err, ok } from '../lib/result.ts';
import type { Repository } from '../ports/repository.ts';
import type { RepoSettings, Settings } from '../ports/settings.ts';
import { landingTargetOf, repositoryOf } from './targets.ts';
import { ENGINE, type World } from './world.ts';

const MOST_NAMES = 50;
const REMOTE_MS = 5000;

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
  const name = hasBegun ? first : await freeName(world, settings, convoy, first);
  const named = await world.ledger.write(ENGINE, async (tx) => {
    const again = await tx.load(convoyAggregate, convoy.id);
    if (again === null || hasEnded(again.state.status)) return err('ended');
    const decision = decideConvoy(again.state, { type: 'name-branches', slug: name });
    if (!decision.ok || decision.value.length === 0) return err('named');
    return ok(await tx.record(convoyAggregate, convoy.id, decision.value));
  });
  return named.ok ? named.value : convoy;
}

async function freeName(
  world: World,
  settings: Settings,
  convoy: Convoy,
  first: string,
): Promise<string> {
  const tasks = await tasksById(world.ledger.db, await convoyMembers(world.ledger.db, convoy.id));
  const repos = [...new Set(tasks.flatMap(({ repo }) => repo ?? []))].flatMap(
    (name) => settings.repos[name] ?? [],
  );
  for (let number = 1; number <= MOST_NAMES; number++) {
    const name = numbered(first, number);
    const { head } = branchNames(name, convoy.id);
    let isFree = true;
    for (const repo of repos) isFree &&= await isFreeIn(world, repo, head);
    if (isFree) return name;
    world.log(`${convoy.id}: ${head} is taken by other work`);
  }
  return first;
}

/** Free, or ours to use because it holds nothing that the target lacks. */
async function isFreeIn(world: World, repo: RepoSettings, branch: string): Promise<boolean> {
  const repository = await repositoryOf(world, repo);
  if (!repository.ok) return true;
  const { branches, facts } = repository.value;
  const taken = await branches.taken(branch);
  if (taken.ok && taken.value !== null) {
    if (taken.value !== branch) return false;
    const head = await facts.head(branch);
    const target = await landingTargetOf(world, repo);
    const onto = target === null ? null : await facts.head(target);
    if (!head.ok || head.value === null || onto?.ok !== true || onto.value === null) return false;
    const inside = await facts.isAncestor(head.value, onto.value);
    if (!inside.ok || !inside.value) return false;
  }
  return isFreeOnOrigin(repository.value, repo, branch);
}

/** A remote that does not answer soon takes no name. */
async function isFreeOnOrigin(
  { facts, remote }: Repository,
  { delivery }: RepoSettings,
  branch: string,
): Promise<boolean> {
  if (delivery === 'local') return true;
  const described = await facts.describe();
  const url = described.ok
    ? described.value.remotes.find(({ name }) => name === 'origin')?.url
    : undefined;
  if (url === undefined) return true;
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), REMOTE_MS);
  const head = await Promise.race([remote.head(url, branch), late.promise]);
  clearTimeout(timer);
  if (head?.ok !== true || head.value === null) return true;
  // What is there is harmless only where we know it as part of what we build on.
  const here = await facts.defaultBranch();
  const onto = here.ok ? await facts.head(here.value) : null;
  if (onto?.ok !== true || onto.value === null) return false;
  const inside = await facts.isAncestor(head.value, onto.value);
  return inside.ok && inside.value;
}
