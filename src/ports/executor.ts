import type { Instant } from '../domain/work/ids.ts';

/** Runs programs that outlive us, under names that we can ask for again. */
export interface Executor {
  /** So many programs are about to be started; whoever can makes ready for them, nobody has to. */
  expect?(count: number): void;
  /** Starts it, or finds what an earlier call with the same id started: a program runs at most once per id. */
  start(spec: ExecutionSpec): Promise<Started>;
  /** What is true now, from records and the process table only; any engine may ask, also a later one. */
  find(id: ExecutionId): Promise<ExecutionState>;
  /** Asks everything it started to end, then makes it end. Safe to repeat, safe when nothing runs. */
  stop(id: ExecutionId, options: { readonly graceMs: number }): Promise<Stopped>;
  /** The output from a position onwards, as far as it is there; at most `limit` bytes. */
  tail(id: ExecutionId, from: number, limit?: number): Promise<OutputChunk>;
  /** The output from a position until the end of the execution or until `signal` says enough. */
  follow(id: ExecutionId, from: number, signal: AbortSignal): AsyncIterable<OutputChunk>;
  /** Waits for the end. Rejects with the signal's reason when aborted, and when nothing was started. */
  exit(id: ExecutionId, signal?: AbortSignal): Promise<Ended>;
}

/** A file name as well as a name: letters, digits, dot, dash and underscore. */
export type ExecutionId = string & { readonly __id: 'execution' };

export const LONGEST_EXECUTION_ID = 120;
const EXECUTION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export const isExecutionId = (text: string): boolean =>
  text.length <= LONGEST_EXECUTION_ID && EXECUTION_ID.test(text);

/** Names an execution. Throws on text that could leave its directory, because ids are ours. */
export function executionId(text: string): ExecutionId {
  if (!isExecutionId(text)) throw new Error(`not an execution id: ${JSON.stringify(text)}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked on the line above
  return text as ExecutionId;
}

export type ExecutionSpec = {
  readonly id: ExecutionId;
  /** Program and arguments, never a shell string. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Exactly this and the execution's own marker; nothing is inherited and nothing is written to disk. */
  readonly env: Readonly<Record<string, string>>;
  /** Text for standard input; without it there is none. */
  readonly stdin?: string;
  /** Written before the start, readable by this user only; absolute paths. */
  readonly files?: readonly { readonly path: string; readonly content: string }[];
  readonly limits?: Limits;
};

export type Limits = {
  /** Bytes of output kept: half from the beginning, the rest from the end. */
  readonly outputBytes?: number;
  /** The largest file the program may write, where the system can enforce it. */
  readonly fileBytes?: number;
  /** Processes of this user, where the system can enforce it. */
  readonly processes?: number;
  /** Added to the scheduling priority, 0 to 19. */
  readonly nice?: number;
};

export const DEFAULT_OUTPUT_BYTES = 64 * 1024 * 1024;

/** `fresh` is false when an earlier call had started it. */
export type Started = { readonly id: ExecutionId; readonly fresh: boolean };

/**
 *   absent ──► running ──► exited
 *                 └──────► lost     (the record of its end is missing and no process is left)
 *
 * `absent` includes one that was prepared but never ran: starting it again is right and safe.
 */
export type ExecutionState =
  | { readonly status: 'absent' }
  | { readonly status: 'running'; readonly pid: number; readonly startedAt: Instant }
  | Ended;

export type Ended =
  | {
      readonly status: 'exited';
      readonly how: Exit;
      readonly at: Instant;
      readonly output: OutputSize;
    }
  | { readonly status: 'lost'; readonly because: string };

export type Exit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  /** It never became a process: missing program, missing directory, no permission. */
  | { readonly kind: 'not-started'; readonly code: string; readonly message: string };

/** `dropped` bytes were between the head and the tail that were kept. */
export type OutputSize = { readonly bytes: number; readonly dropped: number };

/** `killed` processes had to be ended with force; `left` could not be ended at all (another user's). */
export type Stopped = {
  readonly state: ExecutionState;
  readonly killed: number;
  readonly left: number;
};

/** Positions count every byte the program wrote, kept or not. */
export type OutputChunk = {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly next: number;
  /** Bytes between the asked position and `from` that were not kept. */
  readonly skipped: number;
};

/** In the environment of every process of an execution, so that strays can be found. */
export const EXECUTION_MARKER = 'CONVOY_EXECUTION';
