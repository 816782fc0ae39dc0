import type { Instant } from '../work/ids.ts';
import type { Change } from './change.ts';

/** A conflict that has not been resolved, and since when. */
export type OpenConflict = {
  /** The last change that conflicted. */
  readonly change: Extract<Change, { status: 'conflicted' }>;
  /** When the first of the changes in a row conflicted: a try that conflicts again resets nothing. */
  readonly since: Instant;
  readonly escalated: boolean;
};

/** Reads the conflict off all changes of a task or landing, the first one first; null when there is none. */
export function openConflict(changes: readonly Change[]): OpenConflict | null {
  const last = changes.at(-1);
  if (last?.status !== 'conflicted') return null;
  const row = [];
  for (const change of changes.toReversed()) {
    if (change.status !== 'conflicted') break;
    row.push(change);
  }
  return {
    change: last,
    since: row.at(-1)?.at ?? last.at,
    escalated: row.some(({ escalatedAt }) => escalatedAt !== undefined),
  };
}

/** Whether people have to be told now; once for each conflict, however often it is tried. */
export const isOverdue = (
  conflict: OpenConflict,
  limit: { readonly now: Instant; readonly limitMs: number },
): boolean => !conflict.escalated && limit.now - conflict.since >= limit.limitMs;
