import type { Problem } from '../contract/problem.ts';
import type { Task } from '../domain/work/task.ts';
import { type RepoName, repoName } from '../domain/work/ids.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Settings } from '../ports/settings.ts';
import type { Services } from './context.ts';
import { invalid, notFound, settingsProblem } from './problems.ts';

/** The configuration in force, or why it cannot be used. */
export function settingsOf(services: Services): Result<Settings, Problem> {
  const read = services.settings.read();
  return read.ok ? read : { ok: false, error: settingsProblem(read.error) };
}

/** Which repo a new task belongs to: the one named, its parent's, or the only one there is. */
export function repoFor(
  settings: Settings,
  named: string | undefined,
  parent: Task | null,
): Result<RepoName, Problem> {
  const names = Object.keys(settings.repos);
  if (named !== undefined) {
    if (names.includes(named)) return ok(repoName(named));
    return notFound(
      'repo_not_found',
      `There is no repo ${named} in this workspace.`,
      names.length === 0
        ? 'convoy repo add <path> registers one.'
        : `There is ${names.join(', ')}.`,
    );
  }
  if (parent !== null && parent.repo !== null) return ok(parent.repo);
  const [only, ...more] = names;
  if (only === undefined)
    return invalid(
      'no_repo',
      'No repository is registered yet.',
      'convoy repo add <path> registers one.',
    );
  if (more.length > 0)
    return invalid(
      'repo_ambiguous',
      'This workspace has several repos.',
      `Choose with --repo: ${names.join(', ')}.`,
    );
  return ok(repoName(only));
}
