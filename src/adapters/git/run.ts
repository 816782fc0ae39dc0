import { err, ok, type Result } from '../../lib/result.ts';
import type { ErroredReason, NoAnswer } from '../../ports/repository.ts';
import type { Launch, Launched, LaunchEnd } from '../../ports/launch.ts';
import { launchHere } from './launch-here.ts';
import { ALWAYS, gitEnvironment, transports } from './environment.ts';

/** One git command as a value. */
export type GitCommand = {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  readonly transport?: 'none' | 'remote' | 'local';
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Cut the output off instead of answering `output_too_large`. */
  readonly truncate?: boolean;
};

export type GitOutput = {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly truncated: boolean;
};

export type RunnerOptions = {
  readonly git?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Who starts it; a child of this process unless said otherwise. */
  readonly launch?: Launch;
};

export type RunGit = (command: GitCommand) => Promise<Result<GitOutput, NoAnswer>>;

/** Git as it is always started: no shell, no prompt, no hook, no configuration of the repository's own. */
export function gitCommandLine(
  command: Pick<GitCommand, 'args' | 'env' | 'transport'>,
  options: RunnerOptions,
): { program: string; args: string[]; env: Record<string, string> } {
  const transport = command.transport ?? 'none';
  return {
    program: options.git ?? 'git',
    args: [
      '--no-pager',
      '--literal-pathspecs',
      ...ALWAYS,
      ...transports(transport),
      ...command.args,
    ],
    env: gitEnvironment(options.env ?? process.env, command.env ?? {}, transport !== 'none'),
  };
}

/** Runs one git command, bounded in time and output. */
export function gitRunner(options: RunnerOptions = {}): RunGit {
  return (command) => start(command, options);
}

export function errored(reason: ErroredReason, what: string, detail: string): NoAnswer {
  return { kind: 'errored', reason, what, detail: detail.trim().slice(0, MOST_DETAIL) };
}

/** What a failed file-system call means: no answer. */
export function ioFailed(what: string, cause: unknown): NoAnswer {
  return errored('io', what, cause instanceof Error ? cause.message : String(cause));
}

const MOST_DETAIL = 2_000;
const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_BYTES = 64 * 1024 * 1024;

async function start(
  command: GitCommand,
  options: RunnerOptions,
): Promise<Result<GitOutput, NoAnswer>> {
  const what = nameOf(command);
  if (options.signal?.aborted === true) return err({ kind: 'stopped', what });
  const launched = (options.launch ?? launchHere)({
    ...gitCommandLine(command, options),
    cwd: command.cwd,
    ...(command.input === undefined ? {} : { input: command.input }),
    mostBytes: command.maxBytes ?? DEFAULT_BYTES,
  });
  const timeoutMs = command.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const { end, because } = await bounded(launched, timeoutMs, options.signal);
  if (because === 'stopped') return err({ kind: 'stopped', what });
  if (because === null) return answerOf(end, what, command.truncate === true);
  return err(errored('timed_out', what, end.kind === 'ended' ? end.stderr : ''));
}

type Ended = { readonly end: LaunchEnd; readonly because: 'stopped' | 'timed_out' | null };

/** Waits for the end, and brings it about when time is up or nobody wants the answer any more. */
async function bounded(
  launched: Launched,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Ended> {
  let because: Ended['because'] = null;
  const stop = (why: 'stopped' | 'timed_out'): void => {
    because ??= why;
    launched.kill();
  };
  const timer = setTimeout(() => stop('timed_out'), timeoutMs);
  const onAbort = (): void => stop('stopped');
  signal?.addEventListener('abort', onAbort, { once: true });
  const end = await launched.end;
  clearTimeout(timer);
  signal?.removeEventListener('abort', onAbort);
  return { end, because };
}

function answerOf(end: LaunchEnd, what: string, truncate: boolean): Result<GitOutput, NoAnswer> {
  if (end.kind === 'not-started')
    return err(errored(end.code === 'ENOENT' ? 'git_missing' : 'io', what, end.message));
  const { code, signal, stdout, stderr, full } = end;
  if (full && !truncate) return err(errored('output_too_large', what, ''));
  if (code === null && !full) return err(errored('git_failed', what, `ended by ${signal}`));
  return ok({ code: code ?? 0, stdout, stderr, truncated: full });
}

function nameOf(command: GitCommand): string {
  const verb = command.args.findIndex(
    (arg, at) => !arg.startsWith('-') && command.args[at - 1] !== '-c',
  );
  return `git ${command.args[verb] ?? ''}`.trim();
}
