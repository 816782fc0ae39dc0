import type { Instant } from '../work/ids.ts';

/** What can be seen of a queue from outside. */
export type QueueSigns = {
  /** Changes that nobody but the queue itself keeps from moving. */
  readonly movable: number;
  /** Paused, held, or waiting for its push: standing still is right. */
  readonly stopped: boolean;
  /** Changes whenever anything about the queue does. */
  readonly mark: string;
  /** How long the gate runs under way may take at most; 0 when none is. */
  readonly gateMs: number;
};

/** Since when a queue looks as it does. */
export type Quiet = { readonly mark: string; readonly since: Instant };

/**
 * Follows one queue: since when it is quiet, and whether that is too long.
 *
 * A gate run may take its time on top of the limit: until its own timeout it is no sign of anything.
 */
export function followQueue(
  before: Quiet | null,
  signs: QueueSigns,
  { now, limitMs }: { readonly now: Instant; readonly limitMs: number },
): { readonly quiet: Quiet; readonly stalled: boolean; readonly dueMs: number | null } {
  const moved = before === null || before.mark !== signs.mark || before.since > now;
  const quiet = moved ? { mark: signs.mark, since: now } : before;
  if (signs.movable === 0 || signs.stopped)
    return { quiet: { ...quiet, since: now }, stalled: false, dueMs: null };
  const left = quiet.since + limitMs + signs.gateMs - now;
  return { quiet, stalled: left <= 0, dueMs: Math.max(0, left) };
}
