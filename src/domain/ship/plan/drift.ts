import type { PlanRepo, RepositoryMark } from './plan.ts';

/** What has happened to a working tree since a plan was made; empty when nothing has. */
export function driftOf(planned: PlanRepo, now: RepositoryMark): readonly string[] {
  const found: string[] = [];
  if (planned.sha !== now.sha)
    found.push(`the commit is ${short(now.sha)}, the plan was made at ${short(planned.sha)}`);
  if (planned.dirty_digest !== now.dirty_digest) found.push(workingTree(planned, now));
  return found;
}

function workingTree(planned: PlanRepo, now: RepositoryMark): string {
  if (!now.git) return 'files were changed since the plan was made';
  const before = new Set(planned.dirty);
  const after = new Set(now.dirty);
  const fresh = [...after].filter((path) => !before.has(path));
  const gone = [...before].filter((path) => !after.has(path));
  if (fresh.length > 0) return `uncommitted changes: ${some(fresh)}`;
  if (gone.length > 0) return `no longer changed: ${some(gone)}`;
  return `changed again: ${some([...after])}`;
}

const MOST = 5;

const some = (paths: readonly string[]): string =>
  paths.length <= MOST
    ? paths.join(', ')
    : `${paths.slice(0, MOST).join(', ')} and ${paths.length - MOST} more`;

const short = (sha: string | null): string => sha?.slice(0, 12) ?? 'none';
