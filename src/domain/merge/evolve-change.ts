import { unreachable } from '../../lib/unreachable.ts';
import type { Change, ChangeCore, ChangeEvent, ChangeState } from './change.ts';
import { evolvePull, type Pull, type PullEvent } from './pull.ts';

/** The change after an event. Events are facts, so this never refuses. */
export function evolveChange(change: Change | null, event: ChangeEvent): Change {
  if (event.type === 'change-enqueued')
    return { ...event.change, status: 'queued', since: event.at };
  if (change === null) throw new Error(`${event.type} came before the change was enqueued`);
  if (event.type === 'change-moved') return { ...change, movedTo: event.turn };
  if (isAboutPull(event)) {
    const pull = evolvePull(change.pull, event);
    return pull === undefined ? change : { ...change, pull };
  }
  return { ...coreOf(change, event), ...stateAfter(change, event) };
}

const PULL_EVENTS: readonly string[] = [
  'change-proposal-intended',
  'change-proposed',
  'change-pull-seen',
  'change-merge-intended',
  'change-pull-closing',
] satisfies PullEvent['type'][];

const isAboutPull = (event: ChangeEvent): event is PullEvent => PULL_EVENTS.includes(event.type);

type StateEvent = Exclude<ChangeEvent, { type: 'change-enqueued' | 'change-moved' } | PullEvent>;

function stateAfter(change: Change, event: StateEvent): ChangeState {
  switch (event.type) {
    case 'change-verification-started':
      return started(change, event.verification, event.at);
    case 'change-verification-ended':
      return ended(change, event.verification, event.at);
    case 'change-push-awaited': {
      const { commit, tree, because } = event;
      // A push that fails again has been waiting since it first failed.
      const since = change.status === 'waiting_push' ? change.since : event.at;
      return { status: 'waiting_push', since, commit, tree, because };
    }
    case 'change-merged':
      return { status: 'merged', merged: event.merged, at: event.at };
    case 'change-turned-red':
      return { status: 'red', failure: event.failure, at: event.at };
    case 'change-conflicted':
      return { status: 'conflicted', conflict: event.conflict, at: event.at };
    case 'change-conflict-escalated':
      return change.status === 'conflicted' ? { ...change, escalatedAt: event.at } : change;
    case 'change-withdrawn':
      return { status: 'withdrawn', reason: event.reason, at: event.at };
    case 'change-requeued':
      return { status: 'queued', since: event.at };
    default:
      return unreachable(event);
  }
}

function started(change: Change, verification: string, at: number): ChangeState {
  if (change.status !== 'verifying')
    return { status: 'verifying', since: at, verifications: [verification] };
  const verifications = [...change.verifications, verification];
  return { status: 'verifying', since: change.since, verifications };
}

function ended(change: Change, verification: string, at: number): ChangeState {
  if (change.status !== 'verifying') return change;
  const verifications = change.verifications.filter((id) => id !== verification);
  return verifications.length > 0
    ? { status: 'verifying', since: change.since, verifications }
    : { status: 'queued', since: at };
}

/** The change without its state, so that no fact of the old state survives into the next. */
function coreOf(change: Change, event: StateEvent): ChangeCore {
  const { id, task, attempt, convoy, repo, target, head, base } = change;
  const { priority, enqueuedAt, movedTo, landing, pull } = change;
  const core = {
    id,
    task,
    attempt,
    convoy,
    repo,
    target,
    head,
    base,
    priority,
    enqueuedAt,
    movedTo,
  };
  return {
    ...core,
    ...(landing === undefined ? {} : { landing }),
    ...(pull === undefined ? {} : { pull: afterwards(pull, event) }),
  };
}

/** Whoever asks for another try also asks for a closed pull request to be opened again. */
const afterwards = (pull: Pull, event: StateEvent): Pull =>
  event.type === 'change-requeued'
    ? { ...pull, again: true, stuck: false, waits: null, merging: null }
    : pull;
