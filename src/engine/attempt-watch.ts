import type { Attempt } from '../domain/work/attempt.ts';
import { attemptAggregate } from '../ledger/aggregates/attempt.ts';
import type { Agent, AttemptEnd, Transcript } from '../ports/agent.ts';
import { type Ended, executionId } from '../ports/executor.ts';
import { finishAttempt } from './attempt-finish.ts';
import { startAttempt } from './attempt-start.ts';
import type { World } from './world.ts';

const GRACE_MS = 5000;

/** Why a running attempt was ended by us. */
export type Ending =
  | { readonly kind: 'by-itself' }
  | { readonly kind: 'over-time'; readonly limitMs: number }
  | { readonly kind: 'silent'; readonly limitMs: number }
  | { readonly kind: 'said-done' }
  | { readonly kind: 'asked'; readonly reason: string };

/**
 * Follows one attempt from its process to its end. After a restart of the engine the same function
 * takes up a process that lived on, reading its output from the first byte again.
 */
export async function watchAttempt(
  world: World,
  attempt: Attempt,
  stop: AbortSignal,
): Promise<void> {
  const id = executionId(attempt.id);
  const state = await world.executor.find(id);
  if (state.status === 'absent') {
    const started = await startAttempt(world, attempt);
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
  const { ending, end, transcript } = await follow(world, attempt, agent.value, limits, stop);
  if (ending === null || end === null) return;
  const now = await attemptAggregate.load(world.ledger.db, attempt.id);
  await finishAttempt(world, now?.state ?? attempt, {
    kind: 'ended',
    ending,
    end,
    transcript,
    judged: judgedBy(agent.value, ending, end, transcript),
  });
}

/** An agent that said it is through was ended by us; how it ended then means nothing. */
const judgedBy = (agent: Agent, ending: Ending, end: Ended, transcript: Transcript): AttemptEnd =>
  ending.kind === 'said-done' ? { kind: 'finished', doubts: [] } : agent.judge(end, transcript);

type Followed =
  | { ending: Ending; end: Ended; transcript: Transcript }
  | { ending: null; end: null; transcript: Transcript };

async function follow(
  world: World,
  attempt: Attempt,
  agent: Agent,
  limits: { timeMs: number; silenceMs: number },
  stop: AbortSignal,
): Promise<Followed> {
  const id = executionId(attempt.id);
  const parser = agent.parser();
  const over = new AbortController();
  const guard = guardTime(world, attempt, limits, () => parser.transcript(), over.signal);
  const reading = (async () => {
    for await (const chunk of world.executor.follow(id, 0, AbortSignal.any([over.signal, stop]))) {
      if (chunk.skipped > 0) parser.skip(chunk.skipped);
      parser.push(chunk.bytes);
      guard.heard();
    }
  })().catch(() => {});
  const end = world.executor.exit(id, AbortSignal.any([over.signal, stop])).catch(() => null);
  const ending = await Promise.race([
    end.then((): Ending => ({ kind: 'by-itself' })),
    guard.broken,
    asked(world, attempt, over.signal),
    whenAborted(stop),
  ]);
  if (ending === null) {
    over.abort();
    return { ending: null, end: null, transcript: parser.transcript() };
  }
  if (ending.kind !== 'by-itself') await world.executor.stop(id, { graceMs: GRACE_MS });
  const final = (await end) ?? { status: 'lost', because: 'its end was not recorded' };
  await reading;
  over.abort();
  parser.end();
  return { ending, end: final, transcript: parser.transcript() };
}

const whenAborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });

/** Somebody cancelled the task or the attempt: the ledger no longer knows it as live. */
async function asked(world: World, attempt: Attempt, over: AbortSignal): Promise<Ending> {
  for (;;) {
    const change = world.ledger.changes.next(over);
    const stored = await attemptAggregate.load(world.ledger.db, attempt.id);
    const task = await world.ledger.db
      .selectFrom('task')
      .select('status')
      .where('id', '=', attempt.task)
      .executeTakeFirst();
    if (task?.status !== 'in_progress' || stored === null)
      return { kind: 'asked', reason: `the task is ${task?.status ?? 'gone'}` };
    // It is through: its process gets a moment to end by itself before we end it.
    if (stored.state.saidDone !== null) return after(DONE_GRACE_MS, over, { kind: 'said-done' });
    await change;
    if (over.aborted) return new Promise(() => {});
  }
}

type Guard = { heard(): void; readonly broken: Promise<Ending> };

/** Time and silence, by the monotonic clock. A tool call under way is not silence. */
function guardTime(
  world: World,
  attempt: Attempt,
  limits: { timeMs: number; silenceMs: number },
  transcript: () => Transcript,
  over: AbortSignal,
): Guard {
  const ran = Math.max(0, world.now() - (attempt.startedAt ?? world.now()));
  const start = performance.now() - ran;
  let last = performance.now();
  const broken = new Promise<Ending>((resolve) => {
    const look = setInterval(() => {
      const now = performance.now();
      if (now - start > limits.timeMs) resolve({ kind: 'over-time', limitMs: limits.timeMs });
      const isIdle = transcript().openCalls.length === 0;
      if (isIdle && now - last > limits.silenceMs)
        resolve({ kind: 'silent', limitMs: limits.silenceMs });
    }, LOOK_MS);
    over.addEventListener('abort', () => clearInterval(look), { once: true });
  });
  return {
    heard: () => {
      last = performance.now();
    },
    broken,
  };
}

const LOOK_MS = 200;
const DONE_GRACE_MS = 10_000;

const after = (ms: number, over: AbortSignal, ending: Ending): Promise<Ending> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(ending), ms);
    over.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
