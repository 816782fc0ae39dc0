import type { TaskId } from './ids.ts';

/** Kinds that order work. Every other word (tracks, related, duplicates …) is stored and orders nothing. */
export const ORDERING_KINDS = [
  'blocks',
  'conditional-blocks',
  'waits-for',
  'merge-blocks',
] as const;
export type OrderingKind = (typeof ORDERING_KINDS)[number];

/** Hierarchy is a task's parent, never an edge of its own. */
export const HIERARCHY_KIND = 'parent-child';

export const LONGEST_KIND = 50;

/** How far the blocker must be before a `blocks` edge lets go. */
export const LEVELS = ['merged', 'submitted', 'closed'] as const;
export type Level = (typeof LEVELS)[number];

/** One edge, kept on the task that waits: it depends on `on`. */
export type Dependency = {
  readonly on: TaskId;
  readonly kind: string;
  /** Only on `blocks`; absent means `merged`. */
  readonly level?: Level;
  /** Only on `waits-for`: all children of the target (absent) or the first of them. */
  readonly children?: 'all' | 'any';
  /** What another tool said about this edge and we have no word for. */
  readonly extra?: Readonly<Record<string, unknown>>;
};

export const isOrdering = (kind: string): kind is OrderingKind =>
  (ORDERING_KINDS as readonly string[]).includes(kind);
