import type { GateRetries } from '../../domain/merge/change.ts';
import { gateRun, setupRun } from '../../domain/merge/gate-runs.ts';
import { type Breakage, classifyGate, type GateVerdict } from '../../domain/merge/verdict.ts';
import { testsRan } from '../../domain/merge/tests-ran.ts';
import { type Ended, executionId } from '../../ports/executor.ts';
import type { Repository, Worktree } from '../../ports/repository.ts';
import type { GateSettings, RepoSettings } from '../../ports/settings.ts';
import { deadline } from '../../ports/timers.ts';
import { commandEnvironment } from '../command-environment.ts';
import { lastWords, runToEnd } from '../run-to-end.ts';
import type { World } from '../world.ts';

/** What the gates said about one tree. */
export type Answer =
  | { readonly colour: 'green' }
  | { readonly colour: 'red'; readonly gate: string; readonly log: string }
  | { readonly colour: 'broken'; readonly gate: string; readonly because: string }
  | { readonly colour: 'none'; readonly because: string };

const GRACE_MS = 3000;
const LOG_BYTES = 16_000;

/** What the gates said, and when their worktree is back in the pool: nobody who waits for the answer waits for that. */
export type Verified = {
  readonly answer: Answer;
  /** Gates that were run more than once for it. */
  readonly retried: readonly GateRetries[];
  readonly cleared: Promise<unknown>;
};

export type Verifying = {
  /** The recorded id of the run. */
  readonly name: string;
  readonly commit: string;
  /** Called when the worktree is there and the gates begin. */
  readonly begun: () => void;
};

/** Checks the exact tree out and runs the repo's gates there, one after the other. */
export async function verifyTree(
  world: World,
  repository: Repository,
  repo: RepoSettings,
  { name, commit, begun }: Verifying,
  stop: AbortSignal,
): Promise<Verified> {
  const worktree = await repository.worktrees.acquire({
    owner: name,
    purpose: 'verify',
    branch: null,
    startPoint: commit,
  });
  if (!worktree.ok)
    return {
      answer: { colour: 'none', because: `no worktree: ${worktree.error.kind}` },
      retried: [],
      cleared: Promise.resolve(),
    };
  begun();
  try {
    const said = await runGates(world, repository, repo, name, worktree.value, stop);
    return { ...said, cleared: repository.worktrees.release(name) };
  } catch (error) {
    await repository.worktrees.release(name);
    throw error;
  }
}

async function runGates(
  world: World,
  repository: Repository,
  repo: RepoSettings,
  name: string,
  worktree: Worktree,
  stop: AbortSignal,
): Promise<Pick<Verified, 'answer' | 'retried'>> {
  const retried: GateRetries[] = [];
  if (repo.setup !== null) {
    const prepared = await repository.worktrees.prepare(
      worktree,
      { command: repo.setup, lockfiles: [] },
      (command, directory) => runToEnd(world, setupRun(name), command, directory, repo.env),
    );
    if (!prepared.ok)
      return {
        answer: {
          colour: 'broken',
          gate: 'setup',
          because: 'detail' in prepared.error ? prepared.error.detail : 'it was stopped',
        },
        retried,
      };
  }
  for (const [place, gate] of repo.gates.entries()) {
    const run = gateRun(name, place, gate);
    const { answer, tries } = await runGate(world, repo, gate, run, worktree.path, stop);
    if (tries.length > 1) retried.push({ gate: gate.name, tries });
    if (answer.colour !== 'green') return { answer, retried };
  }
  return { answer: { colour: 'green' }, retried };
}

async function runGate(
  world: World,
  repo: RepoSettings,
  gate: GateSettings,
  name: string,
  directory: string,
  stop: AbortSignal,
): Promise<{ answer: Answer; tries: readonly string[] }> {
  const tries: string[] = [];
  const cancelled: Answer = { colour: 'none', because: 'it was cancelled' };
  for (let round = 0; ; round++) {
    if (stop.aborted) return { answer: cancelled, tries };
    const run = `${name}.${round}`;
    const { end, timedOut } = await runOnce(world, repo, gate, run, directory, stop);
    const log = await lastWords(world, run, LOG_BYTES);
    if (stop.aborted) return { answer: cancelled, tries };
    const verdict = classifyGate({
      ...exitOf(end),
      timedOut,
      testsRan: testsRan(log),
      requireTests: gate.requireTests,
      retriesLeft: gate.retries - round,
    });
    tries.push(verdict.verdict === 'errored' ? verdict.because : verdict.verdict);
    const answer = answerOf(verdict, gate, log);
    if (answer !== null) return { answer, tries };
  }
}

function answerOf(verdict: GateVerdict, gate: GateSettings, log: string): Answer | null {
  switch (verdict.verdict) {
    case 'green':
      return { colour: 'green' };
    case 'red':
      return { colour: 'red', gate: gate.name, log };
    case 'broken':
      return { colour: 'broken', gate: gate.name, because: inWords(verdict.because, gate, log) };
    default:
      return null;
  }
}

function inWords(because: Breakage, gate: GateSettings, log: string): string {
  const command = gate.run.kind === 'argv' ? gate.run.argv.join(' ') : gate.run.line;
  const last = log.split('\n').at(-1) ?? '';
  switch (because) {
    case 'missing-tool':
      return `\`${command}\` was not found${last === '' ? '' : `: ${last}`}`;
    case 'not-executable':
      return `\`${command}\` may not be run`;
    case 'timed-out':
      return `\`${command}\` took longer than ${Math.round(gate.timeoutMs / 1000)} s`;
    case 'no-tests-ran':
      return `\`${command}\` ran no tests, and it is required to`;
    default:
      return `\`${command}\` ${because === 'killed' ? 'was killed' : 'could not be started'}`;
  }
}

async function runOnce(
  world: World,
  repo: RepoSettings,
  gate: GateSettings,
  run: string,
  directory: string,
  stop: AbortSignal,
): Promise<{ end: Ended; timedOut: boolean }> {
  const id = executionId(run);
  const argv: readonly [string, ...string[]] =
    gate.run.kind === 'shell'
      ? ['sh', '-c', gate.run.line]
      : [gate.run.argv[0] ?? 'true', ...gate.run.argv.slice(1)];
  await world.executor.start({
    id,
    argv,
    cwd: directory,
    env: commandEnvironment(world, [...repo.env, ...gate.env]),
  });
  const late = deadline(world.timers, gate.timeoutMs);
  try {
    return {
      end: await world.executor.exit(id, AbortSignal.any([late.signal, stop])),
      timedOut: false,
    };
  } catch {
    const { state } = await world.executor.stop(id, { graceMs: GRACE_MS });
    const end: Ended =
      state.status === 'exited' || state.status === 'lost'
        ? state
        : { status: 'lost', because: 'it was stopped' };
    return { end, timedOut: !stop.aborted };
  } finally {
    late.letGo();
  }
}

function exitOf(end: Ended): {
  exit: number | null;
  signal: string | null;
  spawnError: string | null;
} {
  if (end.status === 'lost') return { exit: null, signal: 'lost', spawnError: null };
  if (end.how.kind === 'code') return { exit: end.how.code, signal: null, spawnError: null };
  if (end.how.kind === 'signal') return { exit: null, signal: end.how.signal, spawnError: null };
  return { exit: null, signal: null, spawnError: end.how.code };
}
