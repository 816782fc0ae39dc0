import type { AttemptId, ChangeId, ConvoyId, Instant, RepoName, TaskId } from '../work/ids.ts';
import type { Merged } from '../work/task.ts';
import type { Pull, PullCommand, PullEvent } from './pull.ts';

export const CHANGE_STATUSES = [
  'queued',
  'verifying',
  'waiting_push',
  'merged',
  'conflicted',
  'red',
  'withdrawn',
] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

/**
 * Work on its way into a target branch.
 *
 *   queued ⇄ verifying ──► waiting_push ──► merged      (proved by git)
 *     ▲  └───────┴──────────────┴──────────► conflicted | red | withdrawn
 *     └───────────── retry ─────────────────────┴──────────┴───────┘
 *
 * A change may be part of several gate runs at once; it is `verifying` while any of them lasts.
 * What a run says about a group is no statement about its members: only a lone red run on the
 * exact head makes a change red.
 */
export type Change = ChangeCore & ChangeState;

export type ChangeCore = {
  readonly id: ChangeId;
  readonly task: TaskId;
  readonly attempt: AttemptId;
  readonly convoy: ConvoyId | null;
  readonly repo: RepoName;
  readonly target: string;
  /** The submitted commit, kept so that a vanished branch can be rebuilt. */
  readonly head: string;
  /** The target's commit the work started from. */
  readonly base: string;
  readonly priority: number;
  readonly enqueuedAt: Instant;
  /** Where a person put it, as a turn of `turnOf`; null leaves it to priority and age. */
  readonly movedTo: number | null;
  /** The landing of a whole convoy or sub-epic, not of one task. */
  readonly landing?: true;
  /** Its pull request, where the repo delivers by them. */
  readonly pull?: Pull;
};

export type ChangeState =
  | { readonly status: 'queued'; readonly since: Instant }
  | {
      readonly status: 'verifying';
      readonly since: Instant;
      /** Never empty. */
      readonly verifications: readonly string[];
    }
  | {
      readonly status: 'waiting_push';
      readonly since: Instant;
      readonly commit: string;
      readonly tree: string;
      readonly because: PushWait;
    }
  | { readonly status: 'merged'; readonly merged: Merged; readonly at: Instant }
  | {
      readonly status: 'conflicted';
      readonly conflict: Conflict;
      readonly at: Instant;
      /** A person was told that nobody has resolved it. */
      readonly escalatedAt?: Instant;
    }
  | { readonly status: 'red'; readonly failure: LoneFailure; readonly at: Instant }
  | { readonly status: 'withdrawn'; readonly reason: string; readonly at: Instant };

/** Why a verified commit is not on the target yet. */
export type PushWait =
  | 'push_failed'
  | 'target_checkout_dirty'
  | 'target_locked'
  | 'needs_approval'
  | 'pull_request_closed';

/** The commit the change does not merge into, and where. */
export type Conflict = { readonly onto: string; readonly paths: readonly string[] };

/** A gate that failed on this change alone, on top of the commit that was the target's head. */
export type LoneFailure = {
  readonly onto: string;
  readonly tree: string;
  readonly gate: string;
  readonly log: string;
};

/** What git showed after a landing. Each must hold before the change counts as merged. */
export type LandingProof = {
  readonly commit: string;
  readonly tree: string;
  readonly verifiedTree: string;
  /** The landing commit is an ancestor of the target. */
  readonly contained: boolean;
  /** Merging the source into the target once more changes nothing. */
  readonly addsNothing: boolean;
};

export type ChangeCommand =
  | { readonly type: 'enqueue'; readonly change: ChangeCore; readonly at: Instant }
  | { readonly type: 'start-verifying'; readonly verification: string; readonly at: Instant }
  | {
      readonly type: 'end-verifying';
      readonly verification: string;
      readonly outcome: VerificationOutcome;
      /** Gates that were run more than once. */
      readonly retried?: readonly GateRetries[];
      readonly at: Instant;
    }
  | {
      readonly type: 'wait-for-push';
      readonly commit: string;
      readonly tree: string;
      readonly because: PushWait;
      readonly at: Instant;
    }
  | {
      readonly type: 'record-merge';
      readonly proof: LandingProof;
      /** No gate has seen the tree: somebody else put it on the target. */
      readonly unverified?: true;
      readonly at: Instant;
    }
  | { readonly type: 'reject-red'; readonly failure: LoneFailure; readonly at: Instant }
  | { readonly type: 'reject-conflict'; readonly conflict: Conflict; readonly at: Instant }
  /** Nobody has resolved it since then, and its age is over the limit. */
  | { readonly type: 'escalate-conflict'; readonly since: Instant; readonly at: Instant }
  | { readonly type: 'withdraw'; readonly reason: string; readonly at: Instant }
  | { readonly type: 'retry'; readonly at: Instant }
  | { readonly type: 'move'; readonly turn: number }
  | PullCommand;

/** A gate that gave no answer at first; each try's end in a word. */
export type GateRetries = { readonly gate: string; readonly tries: readonly string[] };

/** How a gate run over a stack with this change in it ended. */
export type VerificationOutcome = 'green' | 'red' | 'errored' | 'cancelled';

export type ChangeEvent =
  | { readonly type: 'change-enqueued'; readonly change: ChangeCore; readonly at: Instant }
  | {
      readonly type: 'change-verification-started';
      readonly verification: string;
      readonly at: Instant;
    }
  | {
      readonly type: 'change-verification-ended';
      readonly verification: string;
      readonly outcome: VerificationOutcome;
      readonly retried?: readonly GateRetries[];
      readonly at: Instant;
    }
  | {
      readonly type: 'change-push-awaited';
      readonly commit: string;
      readonly tree: string;
      readonly because: PushWait;
      readonly at: Instant;
    }
  | { readonly type: 'change-merged'; readonly merged: Merged; readonly at: Instant }
  | { readonly type: 'change-turned-red'; readonly failure: LoneFailure; readonly at: Instant }
  | { readonly type: 'change-conflicted'; readonly conflict: Conflict; readonly at: Instant }
  | {
      readonly type: 'change-conflict-escalated';
      readonly since: Instant;
      readonly at: Instant;
    }
  | { readonly type: 'change-withdrawn'; readonly reason: string; readonly at: Instant }
  | { readonly type: 'change-requeued'; readonly at: Instant }
  | { readonly type: 'change-moved'; readonly turn: number }
  | PullEvent;

/** Why a command was not accepted. Nothing is recorded. */
export type ChangeRefusal =
  | { readonly kind: 'unknown-change' }
  | { readonly kind: 'already-enqueued'; readonly id: ChangeId }
  | {
      readonly kind: 'wrong-state';
      readonly status: ChangeStatus;
      readonly allowed: readonly ChangeStatus[];
    }
  | { readonly kind: 'stale-verification'; readonly current: readonly string[] }
  | { readonly kind: 'unproven'; readonly missing: readonly MissingProof[] };

export type MissingProof = 'contained' | 'verified-tree' | 'adds-nothing';

/** States in which the queue still works on a change. */
export const isInQueue = (status: ChangeStatus): boolean =>
  status === 'queued' || status === 'verifying' || status === 'waiting_push';
