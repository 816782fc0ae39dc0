import type { SilenceTier } from './silence.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { AttemptId, ChangeId, ConvoyId, Instant, RepoName, TaskId } from './ids.ts';
import type { Role } from './prompt.ts';

export const ATTEMPT_STATUSES = [
  'starting',
  'running',
  'submitting',
  'done',
  'failed',
  'stopped',
  'lost',
] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

/**
 * One agent's try at one task.
 *
 *   starting ──► running ──► submitting ──► done
 *       └───────────┴────────────┴────────► failed | stopped | lost
 *
 * Its id names everything outside that belongs to it: the process, the worktree, the log.
 */
export type Attempt = {
  readonly id: AttemptId;
  readonly task: TaskId;
  readonly convoy: ConvoyId;
  readonly repo: RepoName;
  readonly number: number;
  readonly role: Role;
  readonly agent: string;
  /** The branch the work is done on. */
  readonly branch: string;
  /** The branch it will be merged into. */
  readonly target: string;
  readonly status: AttemptStatus;
  /** The commit the branch began at; known once the worktree is there. */
  readonly base: string | null;
  readonly worktree: string | null;
  /** The agent declared that there is no code to submit. */
  readonly noCode: string | null;
  /** The agent said that it is through, in its words. Its word alone completes nothing. */
  readonly saidDone: string | null;
  readonly escalations: readonly Escalation[];
  readonly silences?: Silences;
  /** What it did that it should not have, as far as we could see it. */
  readonly misdeeds?: readonly string[];
  readonly session: string | null;
  readonly head: string | null;
  readonly change: ChangeId | null;
  readonly reason: string | null;
  readonly cost: Cost;
  readonly createdAt: Instant;
  readonly startedAt: Instant | null;
  readonly endedAt: Instant | null;
};

export type Escalation = {
  readonly severity: 'low' | 'medium' | 'high';
  readonly text: string;
  readonly at: Instant;
};

/** Steps that were taken because it said nothing. */
type Silences = readonly SilenceTier[];

export type Cost = { readonly usd: number; readonly tokens: number };

export type AttemptCommand =
  | { readonly type: 'run'; readonly base: string; readonly worktree: string }
  | { readonly type: 'declare-no-code'; readonly reason: string }
  | { readonly type: 'say-done'; readonly summary: string }
  | { readonly type: 'note-checkpoint'; readonly note: string }
  | {
      readonly type: 'escalate';
      readonly severity: Escalation['severity'];
      readonly text: string;
    }
  | { readonly type: 'note-spent'; readonly cost: Cost }
  | { readonly type: 'note-silence'; readonly tier: SilenceTier; readonly silentMs: number }
  | { readonly type: 'note-misdeed'; readonly text: string }
  | { readonly type: 'submit'; readonly head: string }
  | {
      readonly type: 'finish';
      readonly change: ChangeId | null;
      readonly session: string | null;
      readonly cost: Cost;
    }
  | {
      readonly type: 'end';
      readonly as: 'failed' | 'stopped' | 'lost';
      readonly reason: string;
      readonly head: string | null;
      readonly session: string | null;
      readonly cost: Cost;
    };

export type AttemptEvent =
  | { readonly type: 'attempt-opened'; readonly attempt: Attempt }
  | { readonly type: 'attempt-running'; readonly base: string; readonly worktree: string }
  | { readonly type: 'no-code-declared'; readonly reason: string }
  | { readonly type: 'done-said'; readonly summary: string }
  | { readonly type: 'checkpoint-noted'; readonly note: string }
  | {
      readonly type: 'attempt-escalated';
      readonly severity: Escalation['severity'];
      readonly text: string;
    }
  | { readonly type: 'attempt-spent'; readonly cost: Cost }
  | { readonly type: 'attempt-silent'; readonly tier: SilenceTier; readonly silentMs: number }
  | { readonly type: 'misdeed-noted'; readonly text: string }
  | { readonly type: 'attempt-submitting'; readonly head: string }
  | {
      readonly type: 'attempt-done';
      readonly change: ChangeId | null;
      /** Kept, so that a rework can take it up. */
      readonly session?: string | null;
      readonly cost: Cost;
    }
  | {
      readonly type: 'attempt-over';
      readonly as: 'failed' | 'stopped' | 'lost';
      readonly reason: string;
      readonly head: string | null;
      readonly session: string | null;
      readonly cost: Cost;
    };

export type AttemptRefusal = {
  readonly kind: 'wrong-state';
  readonly command: string;
  readonly status: AttemptStatus;
};

const LIVE: readonly AttemptStatus[] = ['starting', 'running', 'submitting'];

export const isLive = (status: AttemptStatus): boolean => LIVE.includes(status);

const ALLOWED: Record<AttemptCommand['type'], readonly AttemptStatus[]> = {
  run: ['starting'],
  'declare-no-code': ['running'],
  'say-done': ['running'],
  'note-checkpoint': ['running'],
  escalate: ['starting', 'running'],
  'note-spent': LIVE,
  'note-silence': LIVE,
  // What it did may be seen only when it is over.
  'note-misdeed': ATTEMPT_STATUSES,
  submit: ['running', 'submitting'],
  finish: ['running', 'submitting'],
  end: LIVE,
};

/** What a command would change about an attempt, or why it may not. */
export function decideAttempt(
  attempt: Attempt,
  command: AttemptCommand,
): Result<AttemptEvent[], AttemptRefusal> {
  if (!ALLOWED[command.type].includes(attempt.status))
    return err({ kind: 'wrong-state', command: command.type, status: attempt.status });
  switch (command.type) {
    case 'run':
      return ok([{ ...command, type: 'attempt-running' }]);
    case 'declare-no-code':
      return ok([{ type: 'no-code-declared', reason: command.reason }]);
    case 'say-done':
      return ok(attempt.saidDone === null ? [{ type: 'done-said', summary: command.summary }] : []);
    case 'note-checkpoint':
      return ok([{ type: 'checkpoint-noted', note: command.note }]);
    case 'escalate':
      return ok([{ ...command, type: 'attempt-escalated' }]);
    case 'note-spent':
      return ok([{ type: 'attempt-spent', cost: command.cost }]);
    case 'note-silence':
      return ok(
        (attempt.silences ?? []).includes(command.tier)
          ? []
          : [{ type: 'attempt-silent', tier: command.tier, silentMs: command.silentMs }],
      );
    case 'note-misdeed':
      return ok(
        (attempt.misdeeds ?? []).includes(command.text)
          ? []
          : [{ type: 'misdeed-noted', text: command.text }],
      );
    case 'submit':
      return ok([{ type: 'attempt-submitting', head: command.head }]);
    case 'finish':
      return ok([{ ...command, type: 'attempt-done' }]);
    case 'end':
      return ok([{ ...command, type: 'attempt-over' }]);
    default:
      return unreachable(command);
  }
}

export function evolveAttempt(attempt: Attempt | null, event: AttemptEvent, at: Instant): Attempt {
  if (event.type === 'attempt-opened') return event.attempt;
  if (attempt === null) throw new Error(`The first event of an attempt is ${event.type}`);
  switch (event.type) {
    case 'attempt-running':
      return {
        ...attempt,
        status: 'running',
        base: event.base,
        worktree: event.worktree,
        startedAt: at,
      };
    case 'no-code-declared':
      return { ...attempt, noCode: event.reason };
    case 'done-said':
      return { ...attempt, saidDone: event.summary };
    case 'checkpoint-noted':
      return attempt;
    case 'attempt-escalated': {
      const { severity, text } = event;
      return { ...attempt, escalations: [...attempt.escalations, { severity, text, at }] };
    }
    case 'attempt-spent':
      return { ...attempt, cost: event.cost };
    case 'attempt-silent':
      return { ...attempt, silences: [...(attempt.silences ?? []), event.tier] };
    case 'misdeed-noted':
      return { ...attempt, misdeeds: [...(attempt.misdeeds ?? []), event.text] };
    case 'attempt-submitting':
      return { ...attempt, status: 'submitting', head: event.head };
    case 'attempt-done':
      return {
        ...attempt,
        status: 'done',
        change: event.change,
        session: event.session ?? attempt.session,
        cost: event.cost,
        endedAt: at,
      };
    case 'attempt-over':
      return {
        ...attempt,
        status: event.as,
        reason: event.reason,
        head: event.head ?? attempt.head,
        session: event.session,
        cost: event.cost,
        endedAt: at,
      };
    default:
      return unreachable(event);
  }
}
