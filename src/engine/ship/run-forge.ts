import { err, ok, type Result } from '../../lib/result.ts';
import type { Forge } from '../../ports/forge.ts';
import type { Repository } from '../../ports/repository.ts';
import type { Voyage } from './voyage.ts';

/** Where a run's branch is proposed. */
export type RunForge = {
  readonly forge: Forge;
  readonly repository: Repository;
  readonly url: string;
  /** The branch on the remote that it should be merged into. */
  readonly base: string;
  readonly baseHead: string;
  /** Commits under the run's branch that the base on the remote lacks. */
  readonly unpushed: number;
};

/** The forge of a run's repository, or in a sentence why the branch stays here. */
export async function forgeOf({
  world,
  plan,
  mark,
  options,
}: Voyage): Promise<Result<RunForge, string>> {
  if (options.demo) return err('It is a demo, so the branch stays in this repository.');
  const repository = await world.tools.repository(plan.repo.path);
  const described = await repository?.facts.describe();
  const url =
    described?.ok === true
      ? described.value.remotes.find(({ name }) => name === 'origin')?.url
      : undefined;
  if (repository === null || url === undefined)
    return err('There is no remote, so the branch stays in this repository.');
  const forge = await world.tools.forges.open(url);
  if (!forge.ok)
    return err(
      `No forge is set up (${forge.error.reason}), so the branch stays in this repository. ${forge.error.remedy}`,
    );
  const base = await baseOf(repository, url, mark.branch);
  if (base === null)
    return err('The remote has no branch to propose to, so the branch stays in this repository.');
  const ahead = await repository.facts.commitsAhead(base.head, mark.sha ?? base.head);
  return ok({
    forge: forge.value,
    repository,
    url,
    base: base.name,
    baseHead: base.head,
    unpushed: ahead.ok ? ahead.value.length : 0,
  });
}

/** The branch the developer is on where the remote has it: no other work is dragged along. */
async function baseOf(
  repository: Repository,
  url: string,
  branch: string | null,
): Promise<{ name: string; head: string } | null> {
  const usual = await repository.facts.defaultBranch();
  const names = [branch, usual.ok ? usual.value : null].filter((name) => name !== null);
  for (const name of names) {
    const head = await repository.remote.fetch(url, name);
    if (head.ok && head.value !== null) return { name, head: head.value };
  }
  return null;
}
