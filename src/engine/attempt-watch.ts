import type { Attempt, Cost } from '../domain/work/attempt.ts';
import { attemptAggregate } from '../ledger/aggregates/attempt.ts';
import type { Agent, AttemptEnd, Transcript } from '../ports/agent.ts';
import { err, type Result } from '../lib/result.ts';
import { type Ended, executionId } from '../ports/executor.ts';
import { finishAttempt } from './attempt-finish.ts';
import { costOf, guardTime } from './attempt-guard.ts';
import { startAttempt } from './attempt-start.ts';
import { crashPoint } from './crash-points.ts';
import type { World } from './world.ts';

const GRACE_MS = 5000;

/** Why a running attempt was ended by us. */
export type Ending =
  | { readonly kind: 'by-itself' }
  | { readonly kind: 'over-time'; readonly limitMs: number }
  | { readonly kind: 'silent'; readonly limitMs: number }
  | { readonly kind: 'said-done' }
  /** Its convoy has nothing left to spend. */
  | { readonly kind: 'over-budget'; readonly spent: string }
  /** The engine ends and takes its agents along. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'asked'; readonly reason: string };

/** What its follower and the engine have to tell each other. */
export type Line = {
  /** The engine stops; the agent does not. */
  readonly stop: AbortSignal;
  /** Somebody wants it to end. */
  readonly asked: Promise<Ending>;
  readonly heard: (cost: Cost) => void;
  /** Until when it waited for a person, by the monotonic clock. */
  readonly waitedUntil: () => number;
};

/**
 * Follows one attempt from its process to its end. After a restart of the engine the same function
 * takes up a process that lived on, reading its output from the first byte again.
 */
export async function watchAttempt(world: World, attempt: Attempt, line: Line): Promise<void> {
  const id = executionId(attempt.id);
  const state = await world.executor.find(id);
  if (state.status === 'absent') {
    const started = await startOrSay(world, attempt);
    if (!started.ok)
      return finishAttempt(world, attempt, { kind: 'never-started', reason: started.error });
  }
  const settings = world.settings.read();
  const agentSettings = settings.ok ? settings.value.agents[attempt.agent] : undefined;
  const agent = agentSettings === undefined ? null : world.agent(attempt.agent, agentSettings);
  if (agentSettings === undefined || agent?.ok !== true) {
    await world.executor.stop(id, { graceMs: GRACE_MS });
    return finishAttempt(world, attempt, {
      kind: 'never-started',
      reason: `there is no agent ${attempt.agent} any more`,
    });
  }
  const limits = { timeMs: agentSettings.timeoutMs, silenceMs: agentSettings.silenceMs };
  const followed = await follow(world, attempt, agent.value, limits, line);
  if (followed.ending === null) return;
  const { ending, end, transcript, clear } = followed;
  crashPoint('process-ended');
  const now = await attemptAggregate.load(world.ledger.db, attempt.id);
  const judged = judgedBy(agent.value, ending, end, transcript);
  const finished = { kind: 'ended', ending, end, transcript, judged } as const;
  await finishAttempt(world, now?.state ?? attempt, finished, clear);
}

/** What cannot be started, for whatever reason, is an attempt that failed and says why. */
async function startOrSay(world: World, attempt: Attempt): Promise<Result<null, string>> {
  try {
    return await startAttempt(world, attempt);
  } catch (error) {
    await world.executor.stop(executionId(attempt.id), { graceMs: GRACE_MS });
    return err(
      `it could not be started: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** An agent that said it is through was ended by us; how it ended then means nothing. */
const judgedBy = (agent: Agent, ending: Ending, end: Ended, transcript: Transcript): AttemptEnd =>
  ending.kind === 'said-done' ? { kind: 'finished', doubts: [] } : agent.judge(end, transcript);

/** `clear` sees to it that nothing of it runs any more. */
type Followed =
  | { ending: Ending; end: Ended; transcript: Transcript; clear: () => Promise<unknown> }
  | { ending: null; end: null };

async function follow(
  world: World,
  attempt: Attempt,
  agent: Agent,
  limits: { timeMs: number; silenceMs: number },
  { stop, asked, heard, waitedUntil }: Line,
): Promise<Followed> {
  const id = executionId(attempt.id);
  const parser = agent.parser();
  const over = new AbortController();
  const seen = { transcript: () => parser.transcript(), waitedUntil };
  const guard = guardTime(world, attempt, limits, seen, over.signal);
  const reading = (async () => {
    for await (const chunk of world.executor.follow(id, 0, AbortSignal.any([over.signal, stop]))) {
      if (chunk.skipped > 0) parser.skip(chunk.skipped);
      parser.push(chunk.bytes);
      guard.heard();
      heard(costOf(parser.transcript()));
    }
  })().catch(() => {});
  const end = world.executor.exit(id, AbortSignal.any([over.signal, stop])).catch(() => null);
  const ending = await Promise.race([
    end.then((): Ending => ({ kind: 'by-itself' })),
    guard.broken,
    asked,
    whenAborted(stop),
  ]);
  // An engine that stops learns nothing about its agents, whichever promise told it first.
  if (ending === null || stop.aborted) {
    over.abort();
    return { ending: null, end: null };
  }
  // It is through: its process gets a moment to end by itself before we end it.
  if (ending.kind === 'said-done') await Promise.race([end, moment(world, over.signal)]);
  // Also after a good end: what it left running would go on in a worktree that is another's by then.
  const clear = (): Promise<unknown> => world.executor.stop(id, { graceMs: GRACE_MS });
  if (ending.kind !== 'by-itself') await clear();
  const final = (await end) ?? { status: 'lost', because: 'its end was not recorded' };
  await reading;
  over.abort();
  parser.end();
  return { ending, end: final, transcript: parser.transcript(), clear };
}

const whenAborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });

const DONE_GRACE_MS = 10_000;

const moment = ({ timers }: World, over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const letGo = timers.after(DONE_GRACE_MS, resolve);
    over.addEventListener('abort', letGo, { once: true });
  });
