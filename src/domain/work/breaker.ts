import type { Attempt } from './attempt.ts';
import type { Instant } from './ids.ts';

/** How an attempt of an agent ended. */
export type Ran = Pick<Attempt, 'status' | 'startedAt' | 'endedAt' | 'reason'>;

/**
 * Whether work is given to an agent.
 *
 *   closed    as always
 *   open      it failed at once too often in a row; nothing is started before `until`
 *   trial     the pause is over: one attempt at a time shows whether it works again
 */
export type Breaker =
  | { readonly kind: 'closed' }
  | {
      readonly kind: 'open';
      readonly until: Instant;
      readonly failures: number;
      readonly last: string;
    }
  | { readonly kind: 'trial'; readonly failures: number };

/** A failure after more than this is about the work and not about the agent. */
const AT_ONCE_MS = 10_000;
const FIRST_PAUSE_MS = 60_000;
const MOST_DOUBLINGS = 4;
const CLOSED: Breaker = { kind: 'closed' };

/**
 * Failures are counted and nothing else, so that any number of healthy attempts leaves it closed. One
 * attempt that did not fail at once starts the count anew. `most` is how many in a row are too many; 0 turns it off.
 */
export function breakerOf(ran: readonly Ran[], most: number, now: Instant): Breaker {
  if (most === 0) return CLOSED;
  const ended = ran
    .filter(({ endedAt, startedAt }) => endedAt !== null && startedAt !== null)
    .toSorted((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0));
  const firstWell = ended.findIndex((each) => !failedAtOnce(each));
  const failures = firstWell === -1 ? ended.length : firstWell;
  const [last] = ended;
  if (failures < most || last === undefined) return CLOSED;
  const pause = FIRST_PAUSE_MS * 2 ** Math.min(failures - most, MOST_DOUBLINGS);
  const until = (last.endedAt ?? 0) + pause;
  return now < until
    ? { kind: 'open', until, failures, last: last.reason ?? last.status }
    : { kind: 'trial', failures };
}

/** What was stopped, lost or could not be prepared says nothing about the agent. */
const failedAtOnce = ({ status, startedAt, endedAt }: Ran): boolean =>
  status === 'failed' && (endedAt ?? 0) - (startedAt ?? 0) < AT_ONCE_MS;

/** How far back attempts are looked at: longer than the longest pause. */
export const BREAKER_MEMORY_MS = 2 * FIRST_PAUSE_MS * 2 ** MOST_DOUBLINGS;
