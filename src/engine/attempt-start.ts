import { type Attempt, decideAttempt } from '../domain/work/attempt.ts';
import { buildPrompt } from '../domain/work/prompt.ts';
import type { Convoy } from '../domain/convoy/convoy.ts';
import type { Task } from '../domain/work/task.ts';
import { attemptAggregate } from '../ledger/aggregates/attempt.ts';
import { convoyAggregate } from '../ledger/aggregates/convoy.ts';
import { taskAggregate } from '../ledger/aggregates/task.ts';
import { attemptsOf } from '../ledger/queries/attempts.ts';
import { tasksById } from '../ledger/queries/task-list.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Assignment } from '../ports/agent.ts';
import { executionId } from '../ports/executor.ts';
import type { Repository, Worktree } from '../ports/repository.ts';
import type { RepoSettings, Settings } from '../ports/settings.ts';
import {
  collisionOf,
  type OpenConflict,
  openConflict,
  withLandingTarget,
} from './merge/conflict.ts';
import { runToEnd } from './run-to-end.ts';
import { onBaseBranch } from './base-branch.ts';
import { crashPoint } from './crash-points.ts';
import { earlierAttempts } from './earlier-attempts.ts';
import { sessionToContinue } from './session.ts';
import { branchesAbove } from './merge/epic-branches.ts';
import { ensureBranch, landingTargetOf, mergeModeOf, repositoryOf } from './targets.ts';
import { turns } from './turns.ts';
import { ENGINE, type World } from './world.ts';

/**
 * Gives an opened attempt its worktree and its process. Everything outside is named by the attempt's
 * id, so doing it again after a crash finds what was there instead of making a second one.
 */
export async function startAttempt(world: World, attempt: Attempt): Promise<Result<null, string>> {
  const known = await lookUp(world, attempt);
  if (!known.ok) return known;
  const { repository, repo, settings, task, convoy } = known.value;
  const prepared = await prepareWorktree(world, attempt, convoy, repository, repo);
  if (!prepared.ok) return prepared;
  const { worktree } = prepared.value;
  const merge = await openConflict(world, attempt, repository, worktree);
  if (!merge.ok) return merge;
  const base = attempt.base ?? merge.value?.onto ?? prepared.value.base;
  const place: Workplace = { worktree, base };
  crashPoint('worktree-made');
  const agentSettings = settings.agents[attempt.agent];
  if (agentSettings === undefined) return err(`there is no agent ${attempt.agent} any more`);
  const agent = world.agent(attempt.agent, agentSettings);
  if (!agent.ok) return agent;
  const prompt = await promptFor(world, attempt, task, place, settings, repo, merge.value);
  const token = await running(world, attempt, place);
  if (!token.ok) return token;
  crashPoint('attempt-running');
  const session = await sessionToContinue(world, attempt, agent.value, repo);
  const launch = agent.value.prepare(
    assignmentOf(world, attempt, task, place, repo, { prompt, token: token.value, session }),
  );
  if (!launch.ok) return err(launch.error.message);
  await world.executor.start({ id: executionId(attempt.id), ...launch.value });
  crashPoint('process-started');
  return ok(null);
}

type Known = {
  settings: Settings;
  repo: RepoSettings;
  repository: Repository;
  task: Task;
  convoy: Convoy;
};

async function lookUp(world: World, attempt: Attempt): Promise<Result<Known, string>> {
  const settings = world.settings.read();
  if (!settings.ok) return err(settings.error.message);
  const repo = settings.value.repos[attempt.repo];
  const repository = await repositoryOf(world, repo);
  if (!repository.ok) return err(`${attempt.repo}: ${repository.error}`);
  const task = await taskAggregate.load(world.ledger.db, attempt.task);
  const convoy = await convoyAggregate.load(world.ledger.db, attempt.convoy);
  if (task === null || convoy === null || repo === undefined) return err('the task is gone');
  return ok({
    settings: settings.value,
    repo,
    repository: repository.value,
    task: task.state,
    convoy: convoy.state,
  });
}

/** Checking out keeps a core busy; more at once would only delay the first agent. */
const inTurn = turns(3);

/** Where the work is done, and the commit that everything counts from. */
type Workplace = { readonly worktree: Worktree; readonly base: string };

async function prepareWorktree(
  world: World,
  attempt: Attempt,
  convoy: Convoy,
  repository: Repository,
  repo: RepoSettings,
): Promise<Result<Workplace, string>> {
  const start = await startPoint(world, attempt, convoy, repository, repo);
  if (!start.ok) return start;
  const acquired = await inTurn(() =>
    repository.worktrees.acquire({
      owner: attempt.id,
      purpose: 'attempt',
      branch: attempt.branch,
      startPoint: start.value.at,
    }),
  );
  if (!acquired.ok) return err(`no worktree: ${acquired.error.kind}`);
  const place = { worktree: acquired.value, base: start.value.base };
  if (repo.setup === null) return ok(place);
  const prepared = await repository.worktrees.prepare(
    acquired.value,
    { command: repo.setup, lockfiles: LOCKFILES },
    (command, directory) => runToEnd(world, `${attempt.id}.setup`, command, directory, repo.env),
  );
  if (prepared.ok) return ok(place);
  return err(
    'detail' in prepared.error ? `set-up failed: ${prepared.error.detail}` : 'set-up was stopped',
  );
}

const LOCKFILES = [
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'uv.lock',
  'poetry.lock',
  'requirements.txt',
  'go.sum',
  'Cargo.lock',
  'Gemfile.lock',
  'composer.lock',
  'mix.lock',
];

type Start = {
  /** The integration branch's head, or the target's. */
  readonly base: string;
  /** The same, or with `wip = continue` where the last attempt stopped. */
  readonly at: string;
};

async function startPoint(
  world: World,
  attempt: Attempt,
  convoy: Convoy,
  repository: Repository,
  repo: RepoSettings,
): Promise<Result<Start, string>> {
  const head =
    mergeModeOf(convoy, repo) === 'review-then-land'
      ? await ensureBranches(world, attempt, convoy, repository, repo)
      : await targetHead(world, attempt, convoy, repository);
  if (!head.ok) return head;
  if (attempt.role === 'resolver') {
    const source = (await collisionOf(world, attempt, repository))?.source;
    return ok({ base: head.value, at: source ?? head.value });
  }
  const base = await withLandingTarget(world, attempt, repository, head.value);
  const isFresh = repo.wip === 'restart';
  return ok({ base, at: isFresh ? base : await takeUp(world, attempt, repository, base) });
}

/** Each collecting branch begins where the one above it stands; the last is the attempt's target. */
async function ensureBranches(
  world: World,
  attempt: Attempt,
  convoy: Convoy,
  repository: Repository,
  repo: RepoSettings,
): Promise<Result<string, string>> {
  const task = await taskAggregate.load(world.ledger.db, attempt.task);
  const above = await branchesAbove(world.ledger.db, convoy, {
    parent: task?.state.parent ?? null,
  });
  let from = async (): Promise<string | null> =>
    convoy.options.baseBranches[attempt.repo] ?? landingTargetOf(world, repo);
  const first = from;
  for (const { branch } of above) {
    const head = await ensureBranch(repository, branch, from);
    if (!head.ok || branch === attempt.target) return head;
    from = async () => branch;
  }
  return ensureBranch(repository, attempt.target, first);
}

/** Old work is taken up only where it still merges with what has landed since. */
async function takeUp(
  world: World,
  attempt: Attempt,
  repository: Repository,
  head: string,
): Promise<string> {
  const earlier = (await attemptsOf(world.ledger.db, attempt.task)).filter(
    ({ id, head: work }) => id !== attempt.id && work !== null,
  );
  const last = earlier.at(-1);
  if (last === undefined || last.head === null) return head;
  const merged = await repository.merges.build('merge', head, last.head, {
    message: `Take up the work of ${last.id}`,
    at: world.now(),
  });
  return merged.ok ? merged.value.commit : head;
}

async function targetHead(
  world: World,
  attempt: Attempt,
  convoy: Convoy,
  repository: Repository,
): Promise<Result<string, string>> {
  const head = await branchHead(repository, attempt.target);
  return head.ok ? onBaseBranch(world, convoy, attempt.repo, repository, head.value) : head;
}

async function branchHead(repository: Repository, branch: string): Promise<Result<string, string>> {
  const head = await repository.facts.head(branch);
  if (!head.ok) return err(`git did not answer: ${head.error.kind}`);
  return head.value === null ? err(`there is no branch ${branch}`) : ok(head.value);
}

/** Records that the attempt runs and mints its token, in one transaction, before the process starts. */
async function running(
  world: World,
  attempt: Attempt,
  { worktree, base }: Workplace,
): Promise<Result<string, string>> {
  return world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(attemptAggregate, attempt.id);
    if (stored === null) return err('the attempt is gone');
    const token = await world.mintToken(tx, attempt.id, attempt.task);
    if (stored.state.status === 'running') return ok(token);
    const decision = decideAttempt(stored.state, {
      type: 'run',
      base,
      worktree: worktree.path,
    });
    if (!decision.ok) return err(`the attempt is ${decision.error.status}`);
    await tx.record(attemptAggregate, attempt.id, decision.value);
    return ok(token);
  });
}

function assignmentOf(
  world: World,
  attempt: Attempt,
  task: Task,
  { worktree, base }: Workplace,
  repo: RepoSettings,
  given: { prompt: string; token: string; session: string | null },
): Assignment {
  return {
    attempt: attempt.id,
    number: attempt.number,
    task: { id: task.id, title: task.title, type: task.type },
    convoy: attempt.convoy,
    role: attempt.role,
    prompt: given.prompt,
    worktree: worktree.path,
    branch: attempt.branch,
    base,
    directory: `${world.runsDir}/${attempt.id}`,
    access: { url: world.url, token: given.token },
    ...(given.session === null ? {} : { session: given.session }),
    environment: { base: world.env, allow: repo.env, convoyRoot: world.convoyRoot },
  };
}

async function promptFor(
  world: World,
  attempt: Attempt,
  task: Task,
  { worktree, base }: Workplace,
  settings: Settings,
  repo: RepoSettings,
  conflict: OpenConflict | null,
): Promise<string> {
  const { db } = world.ledger;
  const before = await tasksById(
    db,
    task.dependencies.map(({ on }) => on),
  );
  const earlier = await earlierAttempts(world, settings, attempt);
  return buildPrompt({
    role: attempt.role,
    task,
    instructions: repo.gates.length === 0 ? '' : gatesInWords(repo),
    dependencies: before.map((other) => ({
      id: other.id,
      title: other.title,
      commits:
        other.status === 'merged' ? [{ sha: other.merged.commit, subject: other.title }] : [],
    })),
    earlier,
    place: { worktree: worktree.path, branch: attempt.branch, base },
    ...(conflict === null ? {} : { conflict: { target: attempt.target, ...conflict } }),
  });
}

const gatesInWords = (repo: RepoSettings): string =>
  `Before it is merged, these must pass: ${repo.gates
    .map(({ run }) => (run.kind === 'argv' ? run.argv.join(' ') : run.line))
    .join('; ')}`;
