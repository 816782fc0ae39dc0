import { unreachable } from '../../lib/unreachable.ts';
import type { Instant } from '../work/ids.ts';
import type { TaskState } from '../work/task.ts';
import { readTime, writeTime } from './beads-time.ts';
import { textOf, type Fields } from './fields.ts';

const HELD = 'held before the import';
const ENDED = 'closed before the import';

/** How a state is said in words of beads, and in ours where those do not say it all. */
export type StateWords = {
  readonly status: string;
  readonly closedAt?: string;
  readonly closeReason?: string;
  readonly deferUntil?: string;
  readonly own?: Fields;
};

/**
 * Reads the state of a row.
 *
 * A live attempt cannot be imported, so work in progress is open here. A status of somebody's own
 * holds the task until a person looks at it. What we called merged elsewhere is closed here:
 * nothing in this workspace proved it.
 */
export function readState(fields: Fields, own: Fields | undefined, updatedAt: Instant): TaskState {
  const status = textOf(fields['status']) ?? '';
  const ours = own && readOwnState(own, fields, updatedAt);
  if (ours && stateWords(ours).status === status) return ours;
  switch (status) {
    case '':
    case 'open':
    case 'in_progress':
    case 'hooked': {
      const until = readTime(fields['defer_until']);
      return until === null ? OPEN : { status: 'deferred', until };
    }
    case 'deferred':
      return { status: 'deferred', until: readTime(fields['defer_until']) };
    case 'pinned':
      return { status: 'pinned' };
    case 'blocked':
      return { status: 'blocked', reason: HELD };
    case 'closed':
      return {
        status: 'closed',
        outcome: textOf(fields['close_reason'])?.trim() || ENDED,
        at: readTime(fields['closed_at']) ?? updatedAt,
      };
    default:
      return { status: 'blocked', reason: `custom status "${status}"` };
  }
}

const OPEN: TaskState = { status: 'open', retryAt: null, lastFailure: null };

function readOwnState(own: Fields, fields: Fields, updatedAt: Instant): TaskState | null {
  const reason = textOf(own['reason']) ?? textOf(fields['close_reason']) ?? '';
  const at = readTime(own['at']) ?? readTime(fields['closed_at']) ?? updatedAt;
  switch (own['status']) {
    case 'blocked':
      return { status: 'blocked', reason };
    case 'failed':
      return { status: 'failed', reason, at };
    case 'skipped':
      return { status: 'skipped', reason, at };
    case 'cancelled':
      return { status: 'cancelled', reason, at };
    default:
      return null;
  }
}

/** Says a state in words of beads. */
export function stateWords(state: TaskState): StateWords {
  switch (state.status) {
    case 'open':
      return { status: 'open' };
    case 'in_progress':
    case 'submitted':
      return { status: 'in_progress' };
    case 'merged': {
      const { target, commit } = state.merged;
      return {
        ...ended(state.at, `merged into ${target} as ${commit}`),
        own: { status: 'merged', ...state.merged },
      };
    }
    case 'closed':
      return ended(state.at, state.outcome);
    case 'skipped':
    case 'cancelled':
      return { ...ended(state.at, state.reason), own: { status: state.status } };
    case 'failed':
      return {
        status: 'blocked',
        own: { status: 'failed', reason: state.reason, at: writeTime(state.at) },
      };
    case 'deferred':
      return state.until === null
        ? { status: 'deferred' }
        : { status: 'deferred', deferUntil: writeTime(state.until) };
    case 'pinned':
      return { status: 'pinned' };
    case 'blocked':
      return state.reason === HELD
        ? { status: 'blocked' }
        : { status: 'blocked', own: { status: 'blocked', reason: state.reason } };
    default:
      return unreachable(state);
  }
}

const ended = (at: Instant, why: string): StateWords => ({
  status: 'closed',
  closedAt: writeTime(at),
  ...(why === '' || why === ENDED ? {} : { closeReason: why }),
});
