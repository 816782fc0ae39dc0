import type { Attempt } from '../domain/work/attempt.ts';
import { taskAggregate } from '../ledger/aggregates/task.ts';
import type { Repository, SubmitObjection } from '../ports/repository.ts';
import { unresolvedIn } from './merge/conflict.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { repositoryOf } from './targets.ts';
import { turns } from './turns.ts';
import type { World } from './world.ts';

/** What an attempt left behind in git. */
export type Harvest = {
  readonly base: string | null;
  readonly head: string | null;
  /** Commits the branch has beyond its base. */
  readonly ahead: number;
  /** Why the work may not be submitted, or null. */
  readonly problem: string | null;
};

const NOTHING: Harvest = { base: null, head: null, ahead: 0, problem: null };

/** Commits what is uncommitted, so that nothing is lost, and says what there is to submit. */
export function harvest(world: World, attempt: Attempt, isGood: boolean): Promise<Harvest> {
  return inTurn(() => bringIn(world, attempt, isGood));
}

/** Git keeps a core busy; more at once would only delay the first that could be verified. */
const inTurn = turns(3);

async function bringIn(world: World, attempt: Attempt, isGood: boolean): Promise<Harvest> {
  const settings = world.settings.read();
  if (!settings.ok) return { ...NOTHING, problem: settings.error.message };
  const repo = settings.value.repos[attempt.repo];
  const repository = await repositoryOf(world, repo);
  if (!repository.ok || repo === undefined)
    return { ...NOTHING, problem: 'its repository cannot be read' };
  const saved = await save(world, attempt, repository.value, isGood);
  if (!saved.ok) return { ...NOTHING, problem: saved.error };
  const { base, head } = saved.value;
  const [ahead, objection] = await Promise.all([
    repository.value.facts.commitsAhead(base, head),
    isGood && head !== base ? objections(repository.value, base, head, repo.allowedPaths) : null,
  ]);
  if (!ahead.ok) return { ...NOTHING, problem: `git did not answer: ${ahead.error.kind}` };
  const count = ahead.value.length;
  if (!isGood || count === 0) return { base, head, ahead: count, problem: null };
  const problem = (await unresolvedIn(attempt, repository.value, base, head)) ?? objection;
  return { base, head, ahead: count, problem };
}

async function save(
  world: World,
  attempt: Attempt,
  repository: Repository,
  isGood: boolean,
): Promise<Result<{ base: string; head: string }, string>> {
  const found = await repository.worktrees.find(attempt.id);
  if (!found.ok) return err(`git did not answer: ${found.error.kind}`);
  if (found.value === null) return err('its worktree is gone');
  const message = isGood
    ? await subjectOf(world, attempt)
    : `wip: ${attempt.task}, attempt ${attempt.number}`;
  const rescued = await repository.worktrees.rescue(
    found.value,
    { message, at: world.now() },
    { concludeMerge: isGood && attempt.role === 'resolver', leaving: true },
  );
  if (!rescued.ok) return err(`the work could not be saved: ${rescued.error.kind}`);
  const head = rescued.value.saved ? rescued.value.commit : rescued.value.head;
  return ok({ base: attempt.base ?? found.value.head, head });
}

async function subjectOf(world: World, attempt: Attempt): Promise<string> {
  const stored = await taskAggregate.load(world.ledger.db, attempt.task);
  return `${stored?.state.title ?? attempt.task} (${attempt.task})`;
}

async function objections(
  repository: Repository,
  base: string,
  head: string,
  allowedPaths: readonly string[],
): Promise<string | null> {
  const answer = await repository.facts.objections(base, head, { allowedPaths });
  if (!answer.ok) return `the change could not be checked: ${answer.error.kind}`;
  return answer.value.length === 0 ? null : answer.value.map(inWords).join('; ');
}

function inWords(objection: SubmitObjection): string {
  switch (objection.kind) {
    case 'too_many_files':
      return `it changes ${objection.files} files, more than ${objection.most}`;
    case 'too_many_lines':
      return `it changes ${objection.lines} lines, more than ${objection.most}`;
    case 'diff_too_large':
      return `its diff is larger than ${objection.most} bytes`;
    case 'outside_allowed_paths':
      return `it changes files outside the allowed paths: ${objection.paths.slice(0, 5).join(', ')}`;
    case 'secrets':
      return `it holds secrets: ${objection.findings
        .slice(0, 5)
        .map(({ file, line, rule }) => `${file}:${line} (${rule})`)
        .join(', ')}`;
    default:
      return 'it may not be submitted';
  }
}
