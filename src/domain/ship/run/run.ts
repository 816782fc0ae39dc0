import type { Instant } from '../../work/ids.ts';
import type { Diagnosis } from '../medic/diagnosis.ts';
import type { ShipStage } from '../plan/plan.ts';
import type { RunOptions } from './run-options.ts';

export type { ShipStage } from '../plan/plan.ts';
export type { RunOptions } from './run-options.ts';

export const RUN_STATUSES = [
  'pending',
  'running',
  'awaiting_approval',
  'awaiting_fix',
  'paused',
  'interrupted',
  'succeeded',
  'rejected',
  'rolling_back',
  'rolled_back',
  'rollback_failed',
  'failed',
  'cancelled',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Over for good: nothing takes such a run up again. */
export const ENDED: readonly RunStatus[] = ['succeeded', 'rejected', 'rolled_back', 'cancelled'];

/** What resume may take up again, best first. */
export const RESUMABLE: readonly RunStatus[] = [
  'awaiting_approval',
  'awaiting_fix',
  'paused',
  'interrupted',
  'failed',
  'rolled_back',
  'rollback_failed',
];

/**
 * One apply of one plan.
 *
 *   pending ──► running ⇄ awaiting_approval | awaiting_fix | paused | interrupted | failed
 *                  └────► succeeded | rejected | cancelled
 *                  └────► rolling_back ──► rolled_back | rollback_failed
 *
 * Its id names everything outside that belongs to it.
 */
export type Run = {
  readonly id: string;
  readonly plan: string;
  readonly planHash: string;
  readonly status: RunStatus;
  readonly options: RunOptions;
  readonly stages: readonly StageRecord[];
  /** The approval that is waited for. */
  readonly waiting: Waiting | null;
  /** Newest last. */
  readonly diagnoses: readonly Diagnosis[];
  /** Why it is not running, in a sentence. */
  readonly reason: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly endedAt: Instant | null;
};

export type Waiting = {
  readonly approval: string;
  readonly kind: string;
  readonly lane: string | null;
};

export const STAGE_STATUSES = [
  'running',
  'succeeded',
  'failed',
  'skipped',
  'interrupted',
  'blocked',
] as const;
export type StageStatus = (typeof STAGE_STATUSES)[number];

/** The newest try of one stage of one lane. */
export type StageRecord = {
  readonly lane: string | null;
  readonly stage: ShipStage;
  readonly status: StageStatus;
  /** What it was given: when that is unchanged, a success need not be repeated. */
  readonly digest: string;
  /** 1 for the first try. */
  readonly round: number;
  readonly startedAt: Instant;
  readonly endedAt: Instant | null;
  readonly evidence: Readonly<Record<string, unknown>>;
};

export type RunEvent =
  | {
      readonly type: 'run-opened';
      readonly id: string;
      readonly plan: string;
      readonly planHash: string;
      readonly options: RunOptions;
    }
  | { readonly type: 'run-started' }
  /** `fresh` forgets what was done before. */
  | { readonly type: 'run-resumed'; readonly options: RunOptions; readonly fresh: boolean }
  | {
      readonly type: 'stage-started';
      readonly lane: string | null;
      readonly stage: ShipStage;
      readonly digest: string;
    }
  | {
      readonly type: 'stage-ended';
      readonly lane: string | null;
      readonly stage: ShipStage;
      readonly status: Exclude<StageStatus, 'running'>;
      readonly evidence: Readonly<Record<string, unknown>>;
    }
  /** A finished stage whose input is unchanged and whose effect still holds. */
  | { readonly type: 'stage-kept'; readonly lane: string | null; readonly stage: ShipStage }
  /** Something worth seeing while it happens. */
  | {
      readonly type: 'run-noted';
      readonly lane: string | null;
      readonly stage: ShipStage;
      readonly text: string;
    }
  | { readonly type: 'approval-awaited'; readonly waiting: Waiting; readonly summary: string }
  | { readonly type: 'approval-answered'; readonly waiting: Waiting }
  /** One step of a model that looks into a failure. */
  | {
      readonly type: 'medic-stepped';
      readonly lane: string;
      readonly turn: number;
      readonly step: MedicStep['step'];
      readonly tool: string | null;
      readonly text: string;
    }
  | { readonly type: 'run-diagnosed'; readonly diagnosis: Diagnosis }
  | { readonly type: 'run-rested'; readonly status: RestStatus; readonly reason: string }
  | { readonly type: 'run-ended'; readonly status: EndStatus; readonly reason: string | null };

export type MedicStep = {
  readonly lane: string;
  readonly turn: number;
  readonly step: 'asked' | 'said' | 'called' | 'answered' | 'refused' | 'retried' | 'ended';
  readonly tool: string | null;
  /** In short: a call's input, the beginning of an answer, a reason. */
  readonly text: string;
};

export type RestStatus = 'awaiting_fix' | 'paused' | 'interrupted' | 'failed';
export type EndStatus = 'succeeded' | 'rejected' | 'cancelled';

export type RunCommand =
  | { readonly type: 'start' }
  | { readonly type: 'resume'; readonly options: RunOptions; readonly fresh: boolean }
  | {
      readonly type: 'begin-stage';
      readonly lane: string | null;
      readonly stage: ShipStage;
      readonly digest: string;
    }
  | {
      readonly type: 'end-stage';
      readonly lane: string | null;
      readonly stage: ShipStage;
      readonly status: Exclude<StageStatus, 'running'>;
      readonly evidence: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'keep-stage'; readonly lane: string | null; readonly stage: ShipStage }
  | {
      readonly type: 'note';
      readonly lane: string | null;
      readonly stage: ShipStage;
      readonly text: string;
    }
  | { readonly type: 'await-approval'; readonly waiting: Waiting; readonly summary: string }
  | { readonly type: 'go-on' }
  | ({ readonly type: 'medic-step' } & MedicStep)
  | { readonly type: 'diagnose'; readonly diagnosis: Diagnosis }
  | { readonly type: 'rest'; readonly status: RestStatus; readonly reason: string }
  | { readonly type: 'end'; readonly status: EndStatus; readonly reason: string | null };

export type RunRefusal = {
  readonly kind: 'wrong-state';
  readonly command: RunCommand['type'];
  readonly status: RunStatus;
};
