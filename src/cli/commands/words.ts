/**
 * The words an option may take, spelt out here because the contract's own lists load a schema
 * library that most commands do not need. A test holds them equal.
 */
export const TASK_TYPES = [
  'task',
  'bug',
  'feature',
  'chore',
  'spike',
  'story',
  'epic',
  'decision',
  'milestone',
] as const;

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

export const HELD_STATUSES = ['open', 'deferred', 'pinned', 'blocked'] as const;

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

export const LEVELS = ['merged', 'submitted', 'closed'] as const;

export const TOKEN_ROLES = [
  'viewer',
  'approver',
  'operator',
  'manager',
  'worker',
  'reviewer',
  'runner',
] as const;
