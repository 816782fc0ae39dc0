import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { LogCapture } from './log-capture.ts';
import { endAll } from './end-all.ts';
import type { Family } from './family.ts';

export type Launch = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: LogCapture;
  readonly family: Family;
};

export type Ended = { readonly exit: number | null; readonly signal: string | null };

/** A started process; `ended` never rejects. */
export type Started = {
  readonly pid: number | null;
  readonly ended: Promise<Ended>;
  /** Null while it runs. */
  readonly outcome: () => Ended | null;
};

/** Starts a command as the leader of its own session, with its output captured. */
export function launch({ argv, cwd, env, log, family }: Launch): Started {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  let outcome: Ended | null = null;
  const settle = (ended: Ended): void => {
    outcome ??= ended;
    resolve(outcome);
  };
  const child = spawn(argv[0] ?? '', argv.slice(1), {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) family.adopt(child.pid);
  child.stdout.on('data', log.write);
  child.stderr.on('data', log.write);
  child.on('error', (error) => {
    log.write(Buffer.from(`${error.message}\n`));
    settle({ exit: 127, signal: null });
  });
  // A child left in the background may hold the pipe open for ever; what it says does not count.
  child.on('exit', (exit, signal) => {
    void Promise.race([closed(child), pause(100)]).then(() => settle({ exit, signal }));
  });
  return { pid: child.pid ?? null, ended: promise, outcome: () => outcome };
}

async function closed(child: ReturnType<typeof spawn>): Promise<void> {
  await new Promise((resolve) => child.once('close', resolve));
}

export type StepEnd = Ended & {
  readonly outcome: 'done' | 'failed' | 'timed-out' | 'stopped';
  readonly ms: number;
};

/** Runs a command to its end, or ends it; nothing it started outlives it. */
export async function runToEnd(
  what: Launch,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<StepEnd> {
  const from = performance.now();
  const started = launch(what);
  const waiting = new AbortController();
  const limit = pause(timeoutMs, 'timed-out' as const, { signal: waiting.signal }).catch(
    () => 'timed-out' as const,
  );
  const stop = aborted(signal, waiting.signal);
  const first = await Promise.race([started.ended, limit, stop]);
  waiting.abort();
  await endAll(what.family.members, 0);
  const ended = await started.ended;
  what.log.flush();
  const ms = performance.now() - from;
  if (typeof first === 'string') return { ...ended, outcome: first, ms };
  return { ...ended, outcome: ended.exit === 0 ? 'done' : 'failed', ms };
}

/** Resolves when the signal says stop, and lets go of it when the wait is over. */
export async function aborted(signal: AbortSignal, over: AbortSignal): Promise<'stopped'> {
  if (signal.aborted) return 'stopped';
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('stopped'), { once: true, signal: over });
  });
}
