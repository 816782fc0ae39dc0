import type { AttemptId, ConvoyId, TaskId } from '../domain/work/ids.ts';
import type { Role } from '../domain/work/prompt.ts';
import type { TaskType } from '../domain/work/task.ts';
import type { Result } from '../lib/result.ts';
import type { Ended, ExecutionSpec } from './executor.ts';

/**
 * A coding agent as a value: how to launch it, how to read what it says, what its end means.
 *
 * It starts nothing itself; the executor does, so that an attempt outlives the engine and a later
 * engine can read the same output with a new parser. An agent that converses over its standard
 * streams (acp) fits in beside: it launches the same way, its two-way messages are kept as lines of
 * the same log, and parser and judge work on that log.
 */
export interface Agent {
  readonly name: string;
  readonly adapter: 'command' | 'acp' | 'scripted';
  readonly capabilities: Capabilities;
  /** Everything needed to run it on this assignment; touches nothing. */
  prepare(assignment: Assignment): Result<Launch, NotPrepared>;
  /** A reader of this agent's output, from its first byte. */
  parser(): OutputParser;
  /** What the end and the output prove together. Git facts are weighed elsewhere. */
  judge(end: Ended, transcript: Transcript): AttemptEnd;
}

export type Capabilities = {
  /** Its messages and tool calls can be shown while it works. */
  readonly stream: boolean;
  /** It asks before it acts, and Convoy can answer. */
  readonly permissions: boolean;
  /** A session can be continued after the process is gone. */
  readonly resume: boolean;
  /** It tells what it spent. */
  readonly cost: boolean;
};

export type Assignment = {
  readonly attempt: AttemptId;
  /** 1, 2, … */
  readonly number: number;
  readonly task: { readonly id: TaskId; readonly title: string; readonly type: TaskType };
  readonly convoy: ConvoyId;
  readonly role: Role;
  readonly prompt: string;
  readonly worktree: string;
  readonly branch: string;
  /** The commit the branch began at. */
  readonly base: string;
  /** This attempt's own folder, outside the worktree, for the prompt and other papers. */
  readonly directory: string;
  readonly access: { readonly url: string; readonly token: string };
  /** What a reviewer reads and where it answers. */
  readonly review?: { readonly diffFile: string; readonly verdictFile: string };
  /** The session to continue, of an agent that can. */
  readonly session?: string;
  readonly environment: {
    /** The engine's own environment; only a few names of it pass. */
    readonly base: Readonly<Record<string, string | undefined>>;
    /** Names the repo lets through. */
    readonly allow: readonly string[];
    /** Where Convoy itself is installed; its tools are not the repo's. */
    readonly convoyRoot: string;
  };
};

/** What the executor needs besides a name and limits: `start({ id, ...launch, limits })`. */
export type Launch = Omit<ExecutionSpec, 'id' | 'limits'> & Required<Pick<ExecutionSpec, 'files'>>;

export type NotPrepared = { readonly code: string; readonly message: string };

export interface OutputParser {
  /** Bytes in any portions. Never throws: what cannot be understood becomes a note or nothing. */
  push(bytes: Uint8Array): AgentEvent[];
  /** Some of the output was not kept here; the line it tore apart is given up. */
  skip(bytes: number): AgentEvent[];
  /** The output is over; an unfinished last line is read too. */
  end(): AgentEvent[];
  /** What was learnt so far. */
  transcript(): Transcript;
}

export type AgentEvent =
  | { readonly kind: 'message'; readonly text: string; readonly thinking: boolean }
  | {
      readonly kind: 'tool-call';
      readonly id: string;
      readonly tool: string;
      /** The file or the command, where it has one. */
      readonly target: string | null;
    }
  | {
      readonly kind: 'tool-result';
      readonly id: string;
      readonly outcome: 'ok' | 'failed' | 'refused';
      readonly text: string;
    }
  | {
      readonly kind: 'usage';
      /** `total` replaces what was counted before, `step` adds to it. */
      readonly scope: 'total' | 'step';
      readonly tokens: { readonly input: number; readonly output: number };
      /** `null` when the agent does not say. */
      readonly costUsd: number | null;
    }
  | { readonly kind: 'session'; readonly id: string }
  | {
      readonly kind: 'error';
      readonly code: string;
      readonly message: string;
      /** The HTTP status behind it, where it has one. */
      readonly status: number | null;
      /** The agent gave up on it, as far as it says. */
      readonly fatal: boolean;
    }
  | { readonly kind: 'note'; readonly code: NoteCode; readonly text: string };

/** `turn-completed`: the agent said that it is through. `text`: a line that is not of its protocol. */
export type NoteCode = 'turn-completed' | 'retry' | 'text' | 'skipped';

export type AgentError = Extract<AgentEvent, { kind: 'error' }>;

/** What an output amounts to; small, however long the output was. */
export type Transcript = {
  readonly events: number;
  readonly session: string | null;
  readonly lastMessage: string;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly costUsd: number | null;
  readonly toolCalls: number;
  /** Called and not yet answered: while there are any, silence is not idleness. */
  readonly openCalls: readonly string[];
  readonly toolResults: { readonly ok: number; readonly failed: number; readonly refused: number };
  /** What was refused, once per call, at most the first few. */
  readonly refusals: readonly { readonly id: string; readonly text: string }[];
  /** The error it gave up on. */
  readonly fatal: AgentError | null;
  readonly lastError: AgentError | null;
  readonly completed: boolean;
};

/** Of an output in which nothing was said. */
export const EMPTY_TRANSCRIPT: Transcript = {
  events: 0,
  session: null,
  lastMessage: '',
  tokens: { input: 0, output: 0 },
  costUsd: null,
  toolCalls: 0,
  openCalls: [],
  toolResults: { ok: 0, failed: 0, refused: 0 },
  refusals: [],
  fatal: null,
  lastError: null,
  completed: false,
};

export type AttemptEnd =
  /** It ended well; whether there is work to submit is git's to say. Doubts explain an absence. */
  | { readonly kind: 'finished'; readonly doubts: readonly Doubt[] }
  /** It asked to be tried again later. */
  | { readonly kind: 'later'; readonly message: string }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      readonly message: string;
      /** Nothing about the task: the same again may well succeed after a while. */
      readonly transient: boolean;
    };

export type FailureReason =
  | 'exit'
  | 'signal'
  | 'not-started'
  | 'api-error'
  | 'agent-error'
  | 'lost';

export type Doubt = {
  readonly kind: 'tools-refused' | 'tools-failed' | 'not-completed';
  readonly message: string;
};

/** The exit code by which an agent asks to be tried later (EX_TEMPFAIL). */
export const TRY_LATER = 75;
