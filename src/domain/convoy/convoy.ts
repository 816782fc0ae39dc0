import type { ConvoyId, Instant, TaskId } from '../work/ids.ts';

export const CONVOY_STATUSES = [
  'staged_ready',
  'staged_warnings',
  'open',
  'paused',
  'stalled',
  'landing',
  'landed',
  'closed',
  'cancelled',
] as const;
export type ConvoyStatus = (typeof CONVOY_STATUSES)[number];

export type MergeMode = 'review-then-land' | 'review-and-merge';
export type ReviewPolicy = 'none' | 'agent' | 'human' | 'both';
export type FailurePolicy = 'hold' | 'continue';

/**
 * A batch of tasks on its way to the target branches.
 *
 *   staged_ready | staged_warnings ──► open ──► landing ──► landed
 *                                      │ ▲         │
 *                        paused ◄──────┤ ├── stalled (needs a decision)
 *                                      │
 *                                      └──► closed (done, nothing to land) | cancelled
 *
 * `landed` follows from git and is never set by hand. Membership lives beside the
 * convoy, not in it: a convoy of 100,000 tasks stays a small row.
 */
export type Convoy = {
  readonly id: ConvoyId;
  readonly title: string;
  readonly status: ConvoyStatus;
  /** Does it dispatch? A convoy that only tracks does not. */
  readonly feeding: boolean;
  /** Why it is paused, stalled, closed or cancelled. */
  readonly reason: string | null;
  readonly epic: TaskId | null;
  readonly options: ConvoyOptions;
  readonly watchers: readonly string[];
  readonly taskCount: number;
  readonly waveCount: number | null;
  readonly createdAt: Instant;
  readonly createdBy: string;
  readonly stagedAt: Instant | null;
  readonly launchedAt: Instant | null;
  readonly endedAt: Instant | null;
  /** Grows each time it ends and opens again, so that each ending is told once. */
  readonly epoch: number;
  /** How far its budget is used up, once people were told; null after the budget was changed. */
  readonly spending?: {
    readonly level: 'near' | 'spent';
    readonly words: string;
    readonly stops: boolean;
  } | null;
  /** Its owner said that it may land. */
  readonly landAsked?: boolean;
  /** Attempts keep their worktrees, so that somebody can look at them. */
  readonly keepWorktrees?: boolean;
  /** How its branches are called, since the first of them was made; before, the title says it. */
  readonly branchSlug?: string;
  /** Why its branch is not on the remotes of its repos yet, until it is; nothing starts before. */
  readonly branchPending?: BranchPending | null;
};

/** Held: a person must act. */
export type BranchPending = { readonly reason: string; readonly held: boolean };

/** What a person chose; null is "as the repo or the workspace says". Kept across a re-stage. */
export type ConvoyOptions = {
  readonly owner: string | null;
  readonly notify: readonly string[];
  readonly mergeMode: MergeMode | null;
  readonly baseBranches: Readonly<Record<string, string>>;
  readonly maxParallel: number | null;
  readonly budget: Budget;
  readonly review: ReviewPolicy | null;
  readonly failurePolicy: FailurePolicy | null;
  readonly autoShip: 'never' | 'landed' | null;
  readonly labels: readonly string[];
  /** An owned convoy lands only when its owner says so. */
  readonly owned: boolean;
};

export type Budget = {
  readonly usd?: number;
  readonly tokens?: number;
  readonly minutes?: number;
  readonly attempts?: number;
};

export const NO_OPTIONS: ConvoyOptions = {
  owner: null,
  notify: [],
  mergeMode: null,
  baseBranches: {},
  maxParallel: null,
  budget: {},
  review: null,
  failurePolicy: null,
  autoShip: null,
  labels: [],
  owned: false,
};

export const isStaged = (status: ConvoyStatus): boolean =>
  status === 'staged_ready' || status === 'staged_warnings';

export const hasEnded = (status: ConvoyStatus): boolean =>
  status === 'landed' || status === 'closed' || status === 'cancelled';
