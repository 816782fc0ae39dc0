import { MOST_TRIES, type Review, THE_MODEL } from '../../domain/review/review.ts';
import { readVerdictText, type ReviewVerdict, strictest } from '../../domain/review/verdict.ts';
import { attemptId, convoyId, taskId } from '../../domain/work/ids.ts';
import { buildPrompt } from '../../domain/work/prompt.ts';
import { reviewAggregate } from '../../ledger/aggregates/review.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Assignment } from '../../ports/agent.ts';
import { type Ended, executionId } from '../../ports/executor.ts';
import type { Repository } from '../../ports/repository.ts';
import type { AgentSettings, RepoSettings } from '../../ports/settings.ts';
import { deadline } from '../../ports/timers.ts';
import { repositoryOf } from '../targets.ts';
import { crashPoint } from '../crash-points.ts';
import { ENGINE, type World } from '../world.ts';
import { briefInWords, type ReviewBrief } from './brief.ts';
import { reviewByModel } from './model-review.ts';

/** The reviewers somebody follows in this process; lost without harm, because they outlive it. */
export type ReviewMemory = {
  readonly running: Map<string, Promise<void>>;
  readonly stop: AbortSignal;
  /** Somebody has to look again: a try is over. */
  wake(): void;
};

const GRACE_MS = 3000;
const LONGEST_VERDICT = 1_000_000;

/** Starts the reviewer of a waiting review, or takes up one that an earlier engine started. */
export function followReview(
  world: World,
  memory: ReviewMemory,
  review: Review,
  repo: RepoSettings,
  brief: ReviewBrief,
): void {
  if (memory.running.has(review.id) || memory.stop.aborted) return;
  const following = async (): Promise<void> => {
    try {
      await follow(world, memory.stop, review, repo, brief);
    } catch (error) {
      world.log(`${review.id}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
    } finally {
      memory.running.delete(review.id);
    }
  };
  // Entered before it begins, so that a quick end finds what it has to take out.
  const begun = Promise.withResolvers<void>();
  memory.running.set(review.id, begun.promise);
  void (async () => {
    await following();
    begun.resolve();
    memory.wake();
  })();
}

async function follow(
  world: World,
  stop: AbortSignal,
  review: Review,
  repo: RepoSettings,
  brief: ReviewBrief,
): Promise<void> {
  const tries = await begin(world, review, repo.reviewer ?? THE_MODEL);
  if (tries === null) return;
  crashPoint('review-started');
  const repository = await repositoryOf(world, repo);
  if (!repository.ok) return answer(world, review, tries, { verdict: err(repository.error) });
  const said =
    repo.reviewer === null
      ? await byModel(world, repository.value, review, repo, brief, stop)
      : await byAgent(world, repository.value, review, repo, brief, { tries, stop });
  // The engine stops, the reviewer does not: the next engine hears what it says.
  if (said === null) return;
  crashPoint('review-said');
  await answer(world, review, tries, said);
  crashPoint('review-answered');
  await repository.value.worktrees.release(runOf(review, tries));
}

/** What came of one try; the cost where it is known. */
type Said = { readonly verdict: Result<ReviewVerdict, string>; readonly usd?: number };

const runOf = ({ id }: Review, tries: number): string => `${id}-${tries}`;

async function byModel(
  world: World,
  repository: Repository,
  review: Review,
  repo: RepoSettings,
  brief: ReviewBrief,
  stop: AbortSignal,
): Promise<Said | null> {
  const said = await reviewByModel(world, repository, review, repo, brief, stop);
  if (said === null) return null;
  const { usd } = said;
  if (said.kind === 'no-verdict') return { verdict: err(said.reason), usd };
  return { verdict: ok({ verdict: said.verdict, findings: said.findings }), usd };
}

async function byAgent(
  world: World,
  repository: Repository,
  review: Review,
  repo: RepoSettings,
  brief: ReviewBrief,
  { tries, stop }: { readonly tries: number; readonly stop: AbortSignal },
): Promise<Said | null> {
  const run = runOf(review, tries);
  const started = await start(world, repository, run, review, repo, brief);
  crashPoint('reviewer-running');
  const verdict = started.ok ? await outcome(world, review.id, run, started.value, stop) : started;
  return verdict === null ? null : { verdict };
}

/** The intent before the effect: which try this is. */
async function begin(world: World, review: Review, by: string): Promise<number | null> {
  const begun = await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(reviewAggregate, review.id);
    if (stored === null) return err('gone');
    if (stored.state.status === 'running') return ok(stored.state.tries);
    if (stored.state.status !== 'waiting') return err('over');
    const started = await tx.record(reviewAggregate, review.id, [{ type: 'review-started', by }]);
    return ok(started.tries);
  });
  return begun.ok ? begun.value : null;
}

type Papers = { readonly verdictFile: string; readonly limitMs: number };

async function start(
  world: World,
  repository: Repository,
  run: string,
  review: Review,
  repo: RepoSettings,
  brief: ReviewBrief,
): Promise<Result<Papers, string>> {
  const directory = `${world.runsDir}/${run}`;
  const papers = { diffFile: `${directory}/change.diff`, verdictFile: `${directory}/verdict.json` };
  const reviewer = agentOf(world, repo);
  if (!reviewer.ok) return reviewer;
  const { agent, limitMs } = reviewer.value;
  const found = await world.executor.find(executionId(run));
  if (found.status !== 'absent') return ok({ ...papers, limitMs });
  const diff = await repository.facts.diff(review.base, review.head);
  if (!diff.ok) return err(`the diff could not be made: ${diff.error.kind}`);
  const worktree = await repository.worktrees.acquire({
    owner: run,
    purpose: 'attempt',
    branch: null,
    startPoint: review.head,
  });
  if (!worktree.ok) return err(`no worktree: ${worktree.error.kind}`);
  const assignment = await assignmentOf(world, run, review, repo, brief, {
    ...papers,
    directory,
    worktree: worktree.value.path,
  });
  const launch = agent.prepare(assignment);
  if (!launch.ok) return err(launch.error.message);
  await world.executor.start({
    id: executionId(run),
    ...launch.value,
    files: [...launch.value.files, { path: papers.diffFile, content: diff.value.text }],
  });
  return ok({ ...papers, limitMs });
}

function agentOf(
  world: World,
  repo: RepoSettings,
): Result<
  {
    agent: ReturnType<typeof world.agent> extends Result<infer A, string> ? A : never;
    limitMs: number;
  },
  string
> {
  const settings = world.settings.read();
  if (!settings.ok) return err(settings.error.message);
  const name = repo.reviewer;
  const found: AgentSettings | undefined = name === null ? undefined : settings.value.agents[name];
  if (name === null || found === undefined) return err(`there is no reviewer ${name ?? ''}`);
  const agent = world.agent(name, found);
  return agent.ok ? ok({ agent: agent.value, limitMs: found.timeoutMs }) : agent;
}

async function assignmentOf(
  world: World,
  run: string,
  review: Review,
  repo: RepoSettings,
  brief: ReviewBrief,
  place: { diffFile: string; verdictFile: string; directory: string; worktree: string },
): Promise<Assignment> {
  const task = { id: taskId(review.convoy), title: brief.title, type: 'chore' } as const;
  const { diffFile, verdictFile, directory, worktree } = place;
  const own = repo.reviewPrompt === null ? null : await world.readText(repo.reviewPrompt, 20_000);
  const minted = await world.ledger.write(ENGINE, async (tx) =>
    ok(await world.mintToken(tx, attemptId(run), task.id, 'reviewer')),
  );
  return {
    attempt: attemptId(run),
    number: 1,
    task,
    convoy: convoyId(review.convoy),
    role: 'reviewer',
    prompt: buildPrompt({
      role: 'reviewer',
      task: { ...task, description: briefInWords(brief), acceptance: [] },
      instructions: own ?? '',
      dependencies: [],
      earlier: [],
      place: { worktree, branch: 'none', base: review.base },
      review: { diffFile, verdictFile },
    }),
    worktree,
    branch: '',
    base: review.base,
    directory,
    access: { url: world.url, token: minted.ok ? minted.value : '' },
    review: { diffFile, verdictFile },
    environment: { base: world.env, allow: repo.env, convoyRoot: world.convoyRoot },
  };
}

/** What the reviewer said; null when nobody waits for it any more. */
async function outcome(
  world: World,
  review: string,
  run: string,
  { verdictFile, limitMs }: Papers,
  stop: AbortSignal,
): Promise<Result<ReviewVerdict, string> | null> {
  const id = executionId(run);
  let end: Ended;
  const late = deadline(world.timers, limitMs);
  try {
    end = await world.executor.exit(id, AbortSignal.any([stop, late.signal]));
  } catch {
    if (stop.aborted) return null;
    await world.executor.stop(id, { graceMs: GRACE_MS });
    return err(`the reviewer took longer than ${Math.round(limitMs / 1000)} s`);
  } finally {
    late.letGo();
  }
  if (end.status === 'lost') return err(`the reviewer was lost: ${end.because}`);
  // A crash is no verdict, whatever it wrote before.
  if (end.how.kind !== 'code' || end.how.code !== 0) return err(`the reviewer ${crash(end.how)}`);
  return verdictOf(world, review, verdictFile);
}

/** From its file and from its tool; an answer that cannot be read is none, wherever it is. */
async function verdictOf(
  world: World,
  review: string,
  verdictFile: string,
): Promise<Result<ReviewVerdict, string>> {
  const written = await world.readText(verdictFile, LONGEST_VERDICT);
  const said = (await reviewAggregate.load(world.ledger.db, review))?.state.said ?? null;
  const read = written === null && said !== null ? null : readVerdictText(written ?? '');
  if (read?.ok === false) return read;
  const verdict = strictest(said, read?.value ?? null);
  return verdict === null ? err('the reviewer said nothing') : ok(verdict);
}

function crash(how: Extract<Ended, { status: 'exited' }>['how']): string {
  if (how.kind === 'code') return `ended with ${how.code}`;
  return how.kind === 'signal'
    ? `was ended by ${how.signal}`
    : `could not be started: ${how.message}`;
}

async function answer(
  world: World,
  review: Review,
  tries: number,
  { verdict, usd }: Said,
): Promise<void> {
  const cost = usd === undefined ? {} : { usd };
  await world.ledger.write(ENGINE, async (tx) => {
    await world.revokeTokens(tx, attemptId(runOf(review, tries)));
    const stored = await tx.load(reviewAggregate, review.id);
    // A late word of an earlier try does not count.
    if (stored?.state.status !== 'running' || stored.state.tries !== tries) return err('over');
    await tx.record(reviewAggregate, review.id, [
      verdict.ok
        ? { type: 'review-answered', ...verdict.value, ...cost }
        : {
            type: 'review-unanswered',
            reason: verdict.error,
            final: tries >= MOST_TRIES,
            ...cost,
          },
    ]);
    return ok(null);
  });
}
