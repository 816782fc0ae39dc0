import type { ApprovalEvent } from '../domain/approval/approval.ts';
import type { Change, ChangeEvent } from '../domain/merge/change.ts';
import type { QueueEvent } from '../domain/merge/queue.ts';
import {
  conflictNotices,
  queueNotices,
  rejectionNotice,
  type RejectionNotice,
  reviewNotices,
} from '../domain/notify/landing-notices.ts';
import type { Entry, Notice } from '../domain/notify/notice.ts';
import type { Telling } from '../domain/notify/tell.ts';
import { tellConflict, tellQueue, tellRejection } from '../domain/notify/tell-landing.ts';
import {
  branchNotices,
  originNotices,
  type PushNotice,
  tellPush,
} from '../domain/notify/remote-notices.ts';
import type { BranchEvent } from '../domain/remote/branch.ts';
import type { RepoEvent } from '../domain/repo/repo-state.ts';
import type { ReviewEvent } from '../domain/review/review.ts';

/** A notice in words, the convoy it belongs to, and what a program reads. */
export type Told = {
  readonly notice: Notice;
  readonly convoy: string | null;
  readonly telling: Telling;
  readonly facts: Readonly<Record<string, unknown>>;
};

export const toldOfReview = (subject: string, entries: readonly Entry<ReviewEvent>[]): Told[] =>
  reviewNotices(subject, entries).map(rejected);

export function toldOfDecision(subject: string, entries: readonly Entry<ApprovalEvent>[]): Told[] {
  const notice = rejectionNotice(subject, entries);
  return notice === null ? [] : [rejected(notice)];
}

function rejected(notice: RejectionNotice): Told {
  const { convoy, what, by, findings } = notice;
  return {
    notice,
    convoy,
    telling: tellRejection(notice),
    facts: { convoy, what, by, findings: [...findings] },
  };
}

export const toldOfChange = (subject: string, entries: readonly Entry<ChangeEvent>[]): Told[] =>
  conflictNotices(subject, entries).map((notice) => ({
    notice,
    convoy: notice.change.convoy,
    telling: tellConflict(notice),
    facts: {
      change: notice.change.id,
      task: notice.change.task,
      target: notice.change.target,
      paths: pathsOf(notice.change),
      age_ms: notice.at - notice.since,
    },
  }));

const pathsOf = (change: Change): readonly string[] =>
  change.status === 'conflicted' ? change.conflict.paths : [];

export const toldOfQueue = (subject: string, entries: readonly Entry<QueueEvent>[]): Told[] =>
  queueNotices(subject, entries).map((notice) => ({
    notice,
    convoy: null,
    telling: tellQueue(notice),
    facts: { repo: notice.queue.repo, target: notice.queue.target, quiet_ms: notice.quietMs },
  }));

export const toldOfRepo = (subject: string, entries: readonly Entry<RepoEvent>[]): Told[] =>
  originNotices(subject, entries).map(pushFailed);

export const toldOfBranch = (subject: string, entries: readonly Entry<BranchEvent>[]): Told[] =>
  branchNotices(subject, entries).map(pushFailed);

function pushFailed(notice: PushNotice): Told {
  const { repo, branch, convoy, reason } = notice;
  return { notice, convoy, telling: tellPush(notice), facts: { repo, branch, convoy, reason } };
}
