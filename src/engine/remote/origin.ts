import type { Convoy } from '../../domain/convoy/convoy.ts';
import { addressOf } from '../../domain/remote/address.ts';
import { newTrouble, type Trouble, troubleWords } from '../../domain/remote/trouble.ts';
import type { RepoState } from '../../domain/repo/repo-state.ts';
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
  const tries = (place.memory.origins.get(name)?.tries ?? 0) + 1;
  await recordAs(place, async (tx) => {
    const known = (await tx.load(repoAggregate, name))?.state.origin?.trouble ?? null;
    const news = newTrouble(known, seen, tries);
    if (news !== null)
      await tx.record(repoAggregate, name, [
        { type: 'origin-troubled', name: repoName(name), ...news },
      ]);
    return ok(null);
  });
  // Afterwards: a wait without a recorded reason is one that a person has ended.
  waitLonger(place, place.memory.origins, name);
}

/** It answers (again). Its address is kept from the first time on, before an agent could change it. */
export async function originAnswered(place: Publishing, { repo, url }: Origin): Promise<void> {
  place.memory.origins.delete(repo);
  const known = await repoAggregate.load(place.world.ledger.db, repo);
  if (newsOf(known?.state, url).length === 0) return;
  await recordAs(place, async (tx) => {
    const again = await tx.load(repoAggregate, repo);
    for (const event of newsOf(again?.state, url))
      await tx.record(repoAggregate, repo, [{ ...event, name: repo }]);
    return ok(null);
  });
}

function newsOf(
  state: RepoState | undefined,
  url: string,
): ({ type: 'origin-recorded'; address: string } | { type: 'origin-recovered' })[] {
  const { address, trouble } = state?.origin ?? { address: null, trouble: null };
  return [
    ...(address === null ? [{ type: 'origin-recorded', address: addressOf(url) } as const] : []),
    ...(trouble === null ? [] : [{ type: 'origin-recovered' } as const]),
  ];
}

/** Why a remote gave no answer, in words. */
export function noAnswerWords(error: NoAnswer | InvalidUrl): string {
  if (error.kind === 'invalid_url') return 'the address of origin is not one that Convoy speaks to';
  return error.kind === 'stopped'
    ? 'origin was not asked to the end'
    : troubleWords(error.reason, error.detail);
}
