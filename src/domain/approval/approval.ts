import type { Instant } from '../work/ids.ts';

/** What may need a person's yes. */
export const APPROVAL_KINDS = [
  'open_pr',
  'merge_pr',
  'stage_secrets',
  'deploy',
  'promote',
  'rollback',
  'review',
  'land',
  'permission',
  'input',
] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'void'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export const CHANNELS = ['cli', 'api', 'web', 'auto'] as const;
export type Channel = (typeof CHANNELS)[number];

export type Verdict = 'approve' | 'reject';

export type Decision = {
  readonly verdict: Verdict;
  readonly actor: string;
  readonly channel: Channel;
  readonly at: Instant;
  readonly reason: string | null;
  /** What was said to a question. */
  readonly answer?: string;
};

/** A question, which takes words and not a yes. */
export const isQuestion = ({ kind }: Pick<ApprovalWish, 'kind'>): boolean => kind === 'input';

/** What is asked for, pinned to the hash of what was shown. */
export type ApprovalWish = {
  readonly kind: ApprovalKind;
  /** The run, convoy, task or attempt it is about. */
  readonly subject: string;
  /** The part of the subject, where it has parts. */
  readonly lane: string | null;
  readonly subjectHash: string;
  /** One line, and everything the person is shown. */
  readonly summary: string;
  readonly details: Readonly<Record<string, unknown>>;
};

export type Approval = ApprovalWish & {
  readonly id: string;
  readonly requestedAt: Instant;
  readonly requestedBy: string;
  readonly status: ApprovalStatus;
  readonly decision: Decision | null;
  readonly voided: { readonly at: Instant; readonly reason: string } | null;
};

export type ApprovalEvent =
  | {
      readonly type: 'approval-requested';
      readonly id: string;
      readonly wish: ApprovalWish;
      readonly by: string;
    }
  | {
      readonly type: 'approval-decided';
      readonly verdict: Verdict;
      readonly actor: string;
      readonly channel: Channel;
      readonly reason: string | null;
      readonly answer?: string;
    }
  | { readonly type: 'approval-voided'; readonly reason: string };

export type ApprovalCommand =
  | {
      readonly type: 'request';
      readonly id: string;
      readonly wish: ApprovalWish;
      readonly by: string;
    }
  | {
      readonly type: Verdict;
      readonly actor: string;
      readonly channel: Channel;
      readonly reason: string | null;
      /** What the one who decides has seen; null when it does not say. */
      readonly subjectHash: string | null;
    }
  | {
      readonly type: 'answer';
      readonly actor: string;
      readonly channel: Channel;
      readonly answer: string;
      readonly subjectHash: string | null;
    }
  | { readonly type: 'void'; readonly reason: string };

export type ApprovalRefusal =
  | { readonly kind: 'unknown-approval' }
  /** What is asked about is no longer what was shown. */
  | { readonly kind: 'subject-changed'; readonly current: string }
  | { readonly kind: 'already-decided'; readonly decision: Decision }
  | { readonly kind: 'is-void'; readonly reason: string }
  /** A yes says nothing to a question. */
  | { readonly kind: 'needs-answer' }
  | { readonly kind: 'no-question' };
