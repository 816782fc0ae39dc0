import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { err, ok, type Result } from '../../lib/result.ts';
import type { ErroredReason, NoAnswer } from '../../ports/repository.ts';
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
  return (command) => new Promise((resolve) => start(command, options, resolve));
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
const STDERR_BYTES = 64 * 1024;

function start(
  command: GitCommand,
  options: RunnerOptions,
  resolve: (result: Result<GitOutput, NoAnswer>) => void,
): void {
  const what = nameOf(command);
  if (options.signal?.aborted === true) return resolve(err({ kind: 'stopped', what }));
  const { program, args, env } = gitCommandLine(command, options);
  const child = spawn(program, args, {
    cwd: command.cwd,
    env,
    // Its own group, so that ssh and remote helpers die with it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const out = collect(child.stdout, command.maxBytes ?? DEFAULT_BYTES, () => {
    end(command.truncate === true ? null : errored('output_too_large', what, ''));
  });
  const complaints = collect(child.stderr, STDERR_BYTES, () => undefined);
  const timer = setTimeout(
    () => end(errored('timed_out', what, complaints.text())),
    command.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  );
  const onAbort = (): void => end({ kind: 'stopped', what });
  options.signal?.addEventListener('abort', onAbort, { once: true });

  let because: NoAnswer | null = null;
  let cut = false;
  function end(reason: NoAnswer | null): void {
    because ??= reason;
    cut ||= reason === null;
    killGroup(child.pid);
  }
  function settle(result: Result<GitOutput, NoAnswer>): void {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
    resolve(result);
  }
  child.on('error', (error) => {
    const missing = 'code' in error && error.code === 'ENOENT';
    settle(err(errored(missing ? 'git_missing' : 'io', what, error.message)));
  });
  child.on('close', (code, signal) => {
    if (because !== null) return settle(err(because));
    if (code === null && !cut) {
      return settle(err(errored('git_failed', what, `ended by ${signal}`)));
    }
    settle(ok({ code: code ?? 0, stdout: out.bytes(), stderr: complaints.text(), truncated: cut }));
  });
  feed(child, command.input);
}

function nameOf(command: GitCommand): string {
  const verb = command.args.findIndex(
    (arg, at) => !arg.startsWith('-') && command.args[at - 1] !== '-c',
  );
  return `git ${command.args[verb] ?? ''}`.trim();
}

function feed(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  input: string | Buffer | undefined,
): void {
  // Git may end before it has read everything; its exit says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
}

function collect(
  stream: Readable,
  most: number,
  onFull: () => void,
): { bytes: () => Buffer; text: () => string } {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    const room = most - size;
    if (room <= 0) return;
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    size += Math.min(chunk.length, room);
    if (chunk.length > room) onFull();
  });
  const bytes = (): Buffer => Buffer.concat(chunks);
  return { bytes, text: () => bytes().toString('utf8') };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
