import type { Review, ReviewCost } from '../../domain/review/review.ts';
import { readVerdictText, type ReviewVerdict, strictest } from '../../domain/review/verdict.ts';
import { type Cost } from '../../domain/work/attempt.ts';
import { attemptId, convoyId, taskId } from '../../domain/work/ids.ts';
import { buildPrompt } from '../../domain/work/prompt.ts';
import { reviewAggregate } from '../../ledger/aggregates/review.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Agent, Assignment } from '../../ports/agent.ts';
import { type Ended, type ExecutionId, executionId } from '../../ports/executor.ts';
import type { AgentSettings, RepoSettings } from '../../ports/settings.ts';
import { deadline } from '../../ports/timers.ts';
import { costOf } from '../attempt-guard.ts';
import { crashPoint } from '../crash-points.ts';
import { ENGINE, type World } from '../world.ts';
import { briefInWords, type ReviewBrief } from './brief.ts';
import type { Reviewing } from './reviewing.ts';

const GRACE_MS = 3000;
const LONGEST_VERDICT = 1_000_000;

/** What came of one try, and what it used as far as it is known. */
export type Said = { readonly verdict: Result<ReviewVerdict, string> } & ReviewCost;

/** What the follower of a reviewer and the engine have to tell each other. */
export type ReviewLine = {
  /** The engine stops; the reviewer does not. */
  readonly stop: AbortSignal;
  readonly heard: (cost: Cost) => void;
  /** Why it has to end before it is through: there is nothing left to spend. */
  readonly spent: Promise<string>;
};

/** One try of a reviewer agent under the name `run`; null when nobody waits for it any more. */
export async function reviewByAgent(
  world: World,
  reviewing: Reviewing,
  run: string,
  line: ReviewLine,
): Promise<Said | null> {
  const started = await start(world, reviewing, run);
  crashPoint('reviewer-running');
  const { id } = reviewing.review;
  return started.ok ? outcome(world, id, run, started.value, line) : { verdict: started };
}

type Papers = {
  readonly verdictFile: string;
  readonly limitMs: number;
  readonly agent: Agent;
};

/** The same about one that an earlier engine started; null also when none was. */
export async function reviewLeft(
  world: World,
  run: string,
  review: Review,
  repo: RepoSettings,
  line: ReviewLine,
): Promise<Said | null> {
  if ((await world.executor.find(executionId(run))).status === 'absent') return null;
  const reviewer = agentOf(world, repo);
  if (reviewer.ok)
    return outcome(world, review.id, run, { ...papersOf(world, run), ...reviewer.value }, line);
  await world.executor.stop(executionId(run), { graceMs: GRACE_MS });
  return { verdict: reviewer };
}

const papersOf = (world: World, run: string): { diffFile: string; verdictFile: string } => ({
  diffFile: `${world.runsDir}/${run}/change.diff`,
  verdictFile: `${world.runsDir}/${run}/verdict.json`,
});

async function start(
  world: World,
  { repository, review, repo, brief }: Reviewing,
  run: string,
): Promise<Result<Papers, string>> {
  const directory = `${world.runsDir}/${run}`;
  const papers = papersOf(world, run);
  const reviewer = agentOf(world, repo);
  if (!reviewer.ok) return reviewer;
  const { agent, limitMs } = reviewer.value;
  const found = await world.executor.find(executionId(run));
  if (found.status !== 'absent') return ok({ ...papers, limitMs, agent });
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
  return ok({ ...papers, limitMs, agent });
}

function agentOf(
  world: World,
  repo: RepoSettings,
): Result<{ readonly agent: Agent; readonly limitMs: number }, string> {
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
  { verdictFile, limitMs, agent }: Papers,
  { stop, heard, spent }: ReviewLine,
): Promise<Said | null> {
  const id = executionId(run);
  const found = await world.executor.find(id);
  const over = new AbortController();
  const used = reading(world, id, agent, heard, AbortSignal.any([over.signal, stop]));
  const end = await ended(world, id, limitMs, spent, stop);
  if (end === null) {
    over.abort();
    return null;
  }
  const cost = await used;
  const startedAt = found.status === 'running' ? found.startedAt : null;
  const worked = startedAt === null ? {} : { ms: Math.max(0, (end.at ?? world.now()) - startedAt) };
  const verdict =
    end.problem === null ? await verdictOf(world, review, verdictFile) : err(end.problem);
  return { verdict, ...cost, ...worked };
}

/** Follows the output from its first byte, and says in the end what it cost. */
async function reading(
  world: World,
  id: ExecutionId,
  agent: Agent,
  heard: (cost: Cost) => void,
  enough: AbortSignal,
): Promise<Cost> {
  const parser = agent.parser();
  try {
    for await (const chunk of world.executor.follow(id, 0, enough)) {
      if (chunk.skipped > 0) parser.skip(chunk.skipped);
      parser.push(chunk.bytes);
      heard(costOf(parser.transcript()));
    }
  } catch {
    // What cannot be read any more is not known; the verdict is elsewhere.
  }
  parser.end();
  return costOf(parser.transcript());
}

/** How and when it ended, with what speaks against its word; null when the engine stops first. */
async function ended(
  world: World,
  id: ExecutionId,
  limitMs: number,
  spent: Promise<string>,
  stop: AbortSignal,
): Promise<{ readonly problem: string | null; readonly at: number | null } | null> {
  const late = deadline(world.timers, limitMs);
  const broke = new AbortController();
  void spent.then((words) => broke.abort(words));
  try {
    const end = await world.executor.exit(id, AbortSignal.any([stop, late.signal, broke.signal]));
    return { problem: problemIn(end), at: end.status === 'exited' ? end.at : null };
  } catch {
    if (stop.aborted) return null;
    await world.executor.stop(id, { graceMs: GRACE_MS });
    const tooLong = `the reviewer took longer than ${Math.round(limitMs / 1000)} s`;
    return { problem: broke.signal.aborted ? String(broke.signal.reason) : tooLong, at: null };
  } finally {
    late.letGo();
  }
}

/** A crash is no verdict, whatever it wrote before. */
function problemIn(end: Ended): string | null {
  if (end.status === 'lost') return `the reviewer was lost: ${end.because}`;
  const { how } = end;
  return how.kind === 'code' && how.code === 0 ? null : `the reviewer ${crash(how)}`;
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
