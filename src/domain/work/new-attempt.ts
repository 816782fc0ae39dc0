import type { Attempt } from './attempt.ts';
import type { Instant } from './ids.ts';

/** What is decided before an attempt begins; the rest is not known yet. */
export type AttemptDraft = Pick<
  Attempt,
  'id' | 'task' | 'convoy' | 'repo' | 'number' | 'role' | 'agent' | 'branch' | 'target'
>;

/** An attempt as it is when it is opened: nothing has happened. */
export const newAttempt = (draft: AttemptDraft, at: Instant): Attempt => ({
  ...draft,
  status: 'starting',
  base: null,
  worktree: null,
  noCode: null,
  saidDone: null,
  escalations: [],
  session: null,
  head: null,
  change: null,
  reason: null,
  cost: { usd: 0, tokens: 0 },
  createdAt: at,
  startedAt: null,
  endedAt: null,
});
