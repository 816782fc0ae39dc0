/** Every answer to "why is this task not running", strongest first. */
export const REASON_CODES = [
  'finished',
  'running',
  'submitted',
  'not_dispatchable',
  'fact_unreadable',
  'blocker_unknown',
  'attempts_spent',
  'held_by_person',
  'pinned',
  'convoy_finished',
  'not_in_convoy',
  'convoy_staged',
  'convoy_paused',
  'convoy_not_feeding',
  'budget_spent',
  'blocked_by_failure',
  'blocked_by_cancelled',
  'gated_by_decision',
  'no_repo',
  'repo_unknown',
  'repo_parked',
  'gate_broken',
  'agent_not_available',
  'agent_paused',
  // A stall is a consequence: what led to it is the stronger answer.
  'convoy_stalled',
  'branch_pending',
  'condition_not_met',
  'epic_inherits',
  'blocked_by_open',
  'blocked_by_submitted',
  'condition_pending',
  'deferred_until',
  'backing_off',
  'host_full',
  'no_capacity',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

export type Reason = {
  readonly code: ReasonCode;
  readonly message: string;
  /** Tasks, convoys, repos or agents that the message names. */
  readonly ids: readonly string[];
  /** True when it stays so until a person acts, false when it resolves by itself. */
  readonly held: boolean;
};

export const waits = (code: ReasonCode, ids: readonly string[], message: string): Reason => ({
  code,
  message,
  ids,
  held: false,
});

export const holds = (code: ReasonCode, ids: readonly string[], message: string): Reason => ({
  code,
  message,
  ids,
  held: true,
});

/** What a person must do comes before what time will do. */
export const strongestFirst = (reasons: readonly Reason[]): Reason[] =>
  reasons.toSorted((a, b) => Number(b.held) - Number(a.held) || rank(a) - rank(b));

const RANKS = new Map(REASON_CODES.map((code, rank) => [code, rank]));
const rank = (reason: Reason): number => RANKS.get(reason.code) ?? REASON_CODES.length;
