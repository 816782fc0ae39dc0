import type { Convoy } from '../../domain/convoy/convoy.ts';
import { addressOf } from '../../domain/remote/address.ts';
import { newTrouble, type Trouble, troubleWords } from '../../domain/remote/trouble.ts';
import { type RepoName, repoName } from '../../domain/work/ids.ts';
import { repoAggregate } from '../../ledger/aggregates/repo.ts';
import { convoyMembers } from '../../ledger/queries/convoy-members.ts';
import { tasksById } from '../../ledger/queries/task-list.ts';
import { ok } from '../../lib/result.ts';
import type { InvalidUrl, NoAnswer, Repository } from '../../ports/repository.ts';
import type { RepoSettings, Settings } from '../../ports/settings.ts';
import { repositoryOf } from '../targets.ts';
import type { World } from '../world.ts';
import { type Publishing, recordAs, waitLonger } from './publishing.ts';

/** The remote that a repo's branches are pushed to. */
export type Origin = {
  readonly repo: RepoName;
  readonly settings: RepoSettings;
  readonly repository: Repository;
  readonly url: string;
};

export type OriginSeen =
  /** Everything of this repo stays on this machine. */
  | { readonly kind: 'none' }
  | { readonly kind: 'there'; readonly origin: Origin }
  | { readonly kind: 'trouble'; readonly reason: string; readonly held: boolean };

/** Where a repo's branches also live, if that is where they have lived before. */
export async function seeOrigin(
  world: World,
  settings: Settings,
  name: string,
): Promise<OriginSeen> {
  const repo = settings.repos[name];
  const repository = await repositoryOf(world, repo);
  if (repo === undefined || repo.delivery === 'local' || !repository.ok) return { kind: 'none' };
  const described = await repository.value.facts.describe();
  if (!described.ok)
    return { kind: 'trouble', reason: `git does not say where ${name} is pushed to`, held: false };
  const url = described.value.remotes.find((remote) => remote.name === 'origin')?.url;
  if (url === undefined) return { kind: 'none' };
  const known = (await repoAggregate.load(world.ledger.db, name))?.state.origin?.address ?? null;
  // An agent can write the repository's configuration: a new address needs a person's word.
  if (known !== null && known !== addressOf(url))
    return { kind: 'trouble', reason: changedWords(name, known, addressOf(url)), held: true };
  const origin = { repo: repoName(name), settings: repo, repository: repository.value, url };
  return { kind: 'there', origin };
}

const changedWords = (repo: string, known: string, now: string): string =>
  `origin of ${repo} changed from ${known} to ${now}; convoy queue resume --repo ${repo} accepts that`;

/** Writes down where a repo's branches are pushed to, before an agent of the convoy could change it. */
export async function adoptOrigin(place: Publishing, { repo, url }: Origin): Promise<void> {
  const known = await repoAggregate.load(place.world.ledger.db, repo);
  if ((known?.state.origin?.address ?? null) !== null) return;
  await recordAs(place, async (tx) => {
    const again = await tx.load(repoAggregate, repo);
    if ((again?.state.origin?.address ?? null) === null)
      await tx.record(repoAggregate, repo, [
        { type: 'origin-recorded', name: repo, address: addressOf(url) },
      ]);
    return ok(null);
  });
}

/** The names of the repos that a convoy works in. */
export async function reposOf(world: World, convoy: Convoy): Promise<string[]> {
  const { db } = world.ledger;
  const tasks = await tasksById(db, await convoyMembers(db, convoy.id));
  return [...new Set(tasks.flatMap(({ repo }) => (repo as string | null) ?? []))];
}

/** Nothing gets through to the remote of a repo: it is asked again later, and people can see why. */
export async function originFailed(
  place: Publishing,
  name: string,
  seen: Pick<Trouble, 'reason' | 'held'>,
): Promise<void> {
  const tries = waitLonger(place, place.memory.origins, name);
  await recordAs(place, async (tx) => {
    const known = (await tx.load(repoAggregate, name))?.state.origin?.trouble ?? null;
    const news = newTrouble(known, seen, tries);
    if (news !== null)
      await tx.record(repoAggregate, name, [
        { type: 'origin-troubled', name: repoName(name), ...news },
      ]);
    return ok(null);
  });
}

export async function originAnswered(place: Publishing, name: string): Promise<void> {
  place.memory.origins.delete(name);
  const known = await repoAggregate.load(place.world.ledger.db, name);
  if ((known?.state.origin?.trouble ?? null) === null) return;
  await recordAs(place, async (tx) => {
    const again = await tx.load(repoAggregate, name);
    if ((again?.state.origin?.trouble ?? null) !== null)
      await tx.record(repoAggregate, name, [{ type: 'origin-recovered', name: repoName(name) }]);
    return ok(null);
  });
}

/** Why a remote gave no answer, in words. */
export function noAnswerWords(error: NoAnswer | InvalidUrl): string {
  if (error.kind === 'invalid_url') return 'the address of origin is not one that Convoy speaks to';
  return error.kind === 'stopped'
    ? 'origin was not asked to the end'
    : troubleWords(error.reason, error.detail);
}
