import { unreachable } from '../../lib/unreachable.ts';
import type { Instant } from '../work/ids.ts';
import type { Convoy, ConvoyStatus } from './convoy.ts';
import type { ConvoyEvent } from './events.ts';

/** The convoy after an event that happened at `at`. */
export function evolveConvoy(convoy: Convoy | null, event: ConvoyEvent, at: Instant): Convoy {
  if (event.type === 'convoy-created') return event.convoy;
  if (convoy === null) throw new Error(`The first event of a convoy is ${event.type}`);
  switch (event.type) {
    case 'convoy-restaged':
      return {
        ...convoy,
        status: event.verdict,
        title: event.title,
        waveCount: event.waveCount,
        stagedAt: at,
      };
    case 'convoy-edited':
      return {
        ...convoy,
        title: event.title ?? convoy.title,
        options: { ...convoy.options, ...event.options },
        // Another budget is measured anew.
        ...(event.options.budget === undefined ? {} : { spending: null }),
      };
    case 'budget-near':
      return { ...convoy, spending: { level: 'near', words: event.words, stops: false } };
    case 'budget-spent':
      return {
        ...convoy,
        spending: { level: 'spent', words: event.words, stops: event.stops },
      };
    case 'budget-freed':
      return { ...convoy, spending: null };
    case 'tasks-tracked':
      return { ...convoy, taskCount: convoy.taskCount + event.tasks.length };
    case 'tasks-untracked':
      return { ...convoy, taskCount: convoy.taskCount - event.tasks.length };
    case 'watcher-added':
      return { ...convoy, watchers: [...convoy.watchers, event.name] };
    case 'watcher-removed':
      return { ...convoy, watchers: convoy.watchers.filter((name) => name !== event.name) };
    default:
      return moved(convoy, event, at);
  }
}

type Move = Exclude<
  ConvoyEvent,
  {
    type:
      | 'convoy-created'
      | 'convoy-restaged'
      | 'convoy-edited'
      | 'tasks-tracked'
      | 'tasks-untracked'
      | 'budget-near'
      | 'budget-spent'
      | 'budget-freed'
      | 'watcher-added'
      | 'watcher-removed';
  }
>;

function moved(convoy: Convoy, event: Move, at: Instant): Convoy {
  switch (event.type) {
    case 'convoy-launched':
      return { ...convoy, status: 'open', feeding: true, launchedAt: at, reason: null };
    case 'convoy-feeding':
      return { ...convoy, feeding: true, launchedAt: convoy.launchedAt ?? at };
    case 'convoy-paused':
      return { ...convoy, status: 'paused', reason: event.reason };
    case 'convoy-resumed':
      return { ...convoy, status: 'open', reason: null };
    case 'convoy-stalled':
      return { ...convoy, status: 'stalled', reason: event.reason };
    case 'branches-named':
      return { ...convoy, branchSlug: event.slug };
    case 'branches-pending':
      return { ...convoy, branchPending: { reason: event.reason, held: event.held } };
    case 'branches-settled':
      return { ...convoy, branchPending: null };
    case 'landing-asked':
      return { ...convoy, landAsked: true, keepWorktrees: event.keepWorktrees ?? false };
    case 'landing-started':
      return { ...convoy, status: 'landing', reason: null };
    case 'landing-stopped':
      return { ...convoy, status: 'open', reason: event.reason };
    case 'convoy-landed':
      return ended(convoy, 'landed', null, at);
    case 'convoy-closed':
      return ended(convoy, 'closed', event.reason, at);
    case 'convoy-cancelled':
      return ended(convoy, 'cancelled', event.reason, at);
    case 'convoy-reopened':
      return {
        ...convoy,
        status: 'open',
        // What was launched goes on; what only tracked still only tracks.
        feeding: convoy.launchedAt !== null,
        reason: null,
        endedAt: null,
        landAsked: false,
        epoch: convoy.epoch + 1,
      };
    default:
      return unreachable(event);
  }
}

const ended = (
  convoy: Convoy,
  status: ConvoyStatus,
  reason: string | null,
  at: Instant,
): Convoy => ({
  ...convoy,
  status,
  reason,
  endedAt: at,
  feeding: false,
});
