import type { Dependency } from './dependency.ts';
import type { AttemptId, ChangeId, Instant, RepoName, TaskId } from './ids.ts';

export const DISPATCHABLE_TYPES = ['task', 'bug', 'feature', 'chore', 'spike', 'story'] as const;
export const TASK_TYPES = [...DISPATCHABLE_TYPES, 'epic', 'decision', 'milestone'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

export const TASK_STATUSES = [
  'open',
  'in_progress',
  'submitted',
  'merged',
  'closed',
  'failed',
  'skipped',
  'cancelled',
  'deferred',
  'pinned',
  'blocked',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export type Priority = 0 | 1 | 2 | 3 | 4;
export const DEFAULT_PRIORITY: Priority = 2;
export const LONGEST_TITLE = 500;
export const DEEPEST_CHILD = 3;

/**
 * A unit of work as the ledger knows it.
 *
 *   open ──► in_progress ──► submitted ──► merged      (proved by git)
 *    ▲  ▲         │              │
 *    │  └─ rework ┴──────────────┘        closed       (work without code, declared)
 *    │            └────────────► failed   (attempts spent)
 *    └── reopen ── merged | closed | failed | skipped | cancelled
 *
 *   open ⇄ deferred | pinned | blocked    (held by a person)
 *
 * Each state carries only the facts that are true in it.
 */
export type Task = TaskCore & TaskState;

export type TaskCore = {
  readonly id: TaskId;
  readonly repo: RepoName | null;
  readonly title: string;
  readonly description: string;
  readonly acceptance: readonly Criterion[];
  readonly type: TaskType;
  readonly priority: Priority;
  readonly labels: readonly string[];
  readonly parent: TaskId | null;
  readonly assignee: string | null;
  readonly estimateMinutes: number | null;
  readonly dueAt: Instant | null;
  readonly externalRef: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Overrides the repo's agent. */
  readonly agent: string | null;
  /** Overrides the repo's gates: argv per gate. */
  readonly verify: readonly (readonly string[])[] | null;
  /** A sub-epic that collects its work on an integration branch of its own. */
  readonly ownBranch: boolean;
  readonly dependencies: readonly Dependency[];
  /** How many attempts were started since the task was created or last retried. */
  readonly attempts: number;
  /** How many children were ever numbered, so that a number is never given twice. */
  readonly childCount: number;
  /** Fields of another tool that we have no word for, kept for the way back. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly createdAt: Instant;
  readonly createdBy: string;
  readonly updatedAt: Instant;
};

export type Criterion = { readonly text: string; readonly done: boolean };

export type TaskState =
  | {
      readonly status: 'open';
      readonly retryAt: Instant | null;
      readonly lastFailure: string | null;
    }
  | { readonly status: 'in_progress'; readonly attempt: AttemptId | null; readonly since: Instant }
  | {
      readonly status: 'submitted';
      readonly attempt: AttemptId;
      readonly change: ChangeId;
      readonly since: Instant;
    }
  | { readonly status: 'merged'; readonly merged: Merged; readonly at: Instant }
  | { readonly status: 'closed'; readonly outcome: string; readonly at: Instant }
  | { readonly status: 'failed'; readonly reason: string; readonly at: Instant }
  | { readonly status: 'skipped'; readonly reason: string; readonly at: Instant }
  | { readonly status: 'cancelled'; readonly reason: string; readonly at: Instant }
  | { readonly status: 'deferred'; readonly until: Instant | null }
  | { readonly status: 'pinned' }
  | { readonly status: 'blocked'; readonly reason: string };

/** Where a change came to rest and how that was shown. */
export type Merged = {
  readonly target: string;
  readonly commit: string;
  readonly tree: string;
  readonly proof: string;
  readonly unverified: boolean;
};

export const isDispatchable = (type: TaskType): boolean =>
  (DISPATCHABLE_TYPES as readonly string[]).includes(type);

/** Work that counts as done everywhere: progress, roll-up, blockers. */
export const isDone = (status: TaskStatus): boolean => status === 'merged' || status === 'closed';

/** States that change only by an explicit reopen or retry. */
export const isTerminal = (status: TaskStatus): boolean =>
  isDone(status) || status === 'failed' || status === 'skipped' || status === 'cancelled';
