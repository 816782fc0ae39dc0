import type { Repositories } from '../ports/repositories.ts';

/** The branch new work is based on by default; null for no repository, no commit or no answer. */
export async function defaultBranch(
  repositories: Repositories,
  path: string,
): Promise<string | null> {
  const repository = await repositories.open(path);
  if (!repository.ok) return null;
  const branch = await repository.value.facts.defaultBranch();
  return branch.ok ? branch.value : null;
}

export async function isRepository(repositories: Repositories, path: string): Promise<boolean> {
  return (await repositories.open(path)).ok;
}

/** False only when git says so: no answer is not a missing branch. */
export async function branchExists(
  repositories: Repositories,
  path: string,
  branch: string,
): Promise<boolean> {
  const repository = await repositories.open(path);
  if (!repository.ok) return true;
  const head = await repository.value.facts.head(branch);
  return !head.ok || head.value !== null;
}

/** Makes a branch where another one is. False when git has no such start, or says no. */
export async function createBranch(
  repositories: Repositories,
  path: string,
  branch: string,
  from: string,
): Promise<boolean> {
  const repository = await repositories.open(path);
  if (!repository.ok) return false;
  const start = await repository.value.facts.head(from);
  if (!start.ok || start.value === null) return false;
  return (await repository.value.branches.create(branch, start.value)).ok;
}

/** How many commits `branch` has that `base` has not; 0 when git cannot say. */
export async function commitsAhead(
  repositories: Repositories,
  path: string,
  branch: string,
  base: string,
): Promise<number> {
  const repository = await repositories.open(path);
  if (!repository.ok) return 0;
  const { facts } = repository.value;
  const [from, to] = [await facts.head(base), await facts.head(branch)];
  if (!from.ok || !to.ok || from.value === null || to.value === null) return 0;
  const ahead = await facts.commitsAhead(from.value, to.value);
  return ahead.ok ? ahead.value.length : 0;
}
