import type { Convoy, MergeMode } from '../domain/convoy/convoy.ts';
import { branchesOf } from '../domain/convoy/slug.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Repository } from '../ports/repository.ts';
import type { RepoSettings } from '../ports/settings.ts';
import { remembering } from './remembered.ts';
import type { World } from './world.ts';

/** How a convoy's work reaches the target of a repo. */
export const mergeModeOf = (convoy: Convoy, repo: RepoSettings): MergeMode =>
  convoy.options.mergeMode ?? repo.mergeMode;

export const integrationBranch = (convoy: Convoy): string => branchesOf(convoy).head;

/** The branch a task's change is merged into; null when git does not say. */
export async function changeTarget(
  world: World,
  convoy: Convoy,
  repo: RepoSettings,
  collecting: string = integrationBranch(convoy),
): Promise<string | null> {
  return mergeModeOf(convoy, repo) === 'review-then-land'
    ? collecting
    : landingTargetOf(world, repo);
}

/** The branch a convoy lands in: what the configuration says, else what git says. */
export async function landingTargetOf(world: World, repo: RepoSettings): Promise<string | null> {
  if (repo.target !== null) return repo.target;
  if (repo.source.kind !== 'path') return null;
  const repository = await world.repositories.open(repo.source.path);
  if (!repository.ok) return null;
  const branch = await repository.value.facts.defaultBranch();
  return branch.ok ? branch.value : null;
}

/** The repository of a repo on this machine, or why it cannot be worked in. */
export async function repositoryOf(
  world: World,
  repo: RepoSettings | undefined,
): Promise<Result<Repository, string>> {
  if (repo === undefined) return err('it is not in config.toml any more');
  if (repo.source.kind !== 'path') return err('it has no checkout on this machine');
  const repository = await world.repositories.open(repo.source.path);
  return repository.ok
    ? ok(remembering(repository.value))
    : err(`git says ${repository.error.kind}`);
}

/** Makes sure the integration branch exists; it begins where the convoy is based. */
export function ensureBranch(
  repository: Repository,
  branch: string,
  baseOf: () => Promise<string | null>,
): Promise<Result<string, string>> {
  const under = makingIn.get(repository) ?? new Map<string, Promise<Result<string, string>>>();
  makingIn.set(repository, under);
  const before = under.get(branch);
  if (before !== undefined) return before;
  const making = makeBranch(repository, branch, baseOf).finally(() => under.delete(branch));
  under.set(branch, making);
  return making;
}

/** All tasks of a wave want the same branch at the same moment; one of them makes it. */
const makingIn = new WeakMap<Repository, Map<string, Promise<Result<string, string>>>>();

async function makeBranch(
  repository: Repository,
  branch: string,
  baseOf: () => Promise<string | null>,
): Promise<Result<string, string>> {
  const head = await repository.facts.head(branch);
  if (!head.ok) return err(`git did not answer: ${head.error.kind}`);
  if (head.value !== null) return ok(head.value);
  const base = await baseOf();
  if (base === null) return err('git does not say which branch is the default; set target');
  const start = await repository.facts.head(base);
  if (!start.ok) return err(`git did not answer: ${start.error.kind}`);
  if (start.value === null) return err(`there is no branch ${base} to begin from`);
  const made = await repository.branches.create(branch, start.value);
  if (made.ok) return ok(start.value);
  // Another attempt of the same convoy may have made it a moment ago.
  const again = await repository.facts.head(branch);
  return again.ok && again.value !== null
    ? ok(again.value)
    : err(`the branch ${branch} could not be made: ${made.error.kind}`);
}
