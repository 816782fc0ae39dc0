import { err, ok, type Result } from '../../lib/result.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { TaskId } from '../work/ids.ts';
import { CONVOY_STATUSES, hasEnded, type Convoy, type ConvoyStatus } from './convoy.ts';
import type { ConvoyCommand, ConvoyEvent, ConvoyRefusal } from './events.ts';

type Decision = Result<ConvoyEvent[], ConvoyRefusal>;

const STAGED: readonly ConvoyStatus[] = ['staged_ready', 'staged_warnings'];
const LIVE: readonly ConvoyStatus[] = [...STAGED, 'open', 'paused', 'stalled', 'landing'];

/** In which states each command is accepted: the one table for decide, the API and the dashboard. */
export const ALLOWED: Record<ConvoyCommand['type'], readonly ConvoyStatus[]> = {
  restage: STAGED,
  edit: LIVE,
  track: CONVOY_STATUSES.filter((status) => status !== 'cancelled'),
  untrack: LIVE,
  reopen: ['landed', 'closed'],
  launch: [...STAGED, 'open'],
  feed: ['open'],
  pause: ['open', 'stalled', 'landing', 'paused'],
  resume: ['paused', 'stalled', 'open'],
  stall: ['open', 'landing', 'stalled'],
  'name-branches': ['open', 'stalled', 'landing'],
  'await-branches': ['open', 'stalled', 'landing'],
  'settle-branches': ['open', 'paused', 'stalled', 'landing'],
  // Said after the landing it only gives back the worktrees that were kept.
  'ask-landing': ['open', 'stalled', 'landing', 'landed'],
  'start-landing': ['open', 'landing'],
  'stop-landing': ['landing'],
  land: ['open', 'landing'],
  close: [...LIVE, 'closed'],
  cancel: [...LIVE, 'cancelled'],
  'note-budget': LIVE,
  watch: CONVOY_STATUSES,
  unwatch: CONVOY_STATUSES,
};

/** What a command would change about a convoy, or why it may not. Saying a thing twice changes nothing. */
export function decideConvoy(convoy: Convoy, command: ConvoyCommand): Decision {
  const allowed = ALLOWED[command.type];
  if (!allowed.includes(convoy.status))
    return err({ kind: 'wrong-state', command: command.type, status: convoy.status, allowed });
  switch (command.type) {
    case 'restage':
      return ok(restage(command));
    case 'launch':
    case 'feed':
      return launch(convoy, command);
    case 'track':
      return ok(track(convoy, command.tasks));
    case 'reopen':
      return ok([{ type: 'convoy-reopened' }]);
    case 'untrack':
      return ok(
        command.tasks.length === 0 ? [] : [{ type: 'tasks-untracked', tasks: command.tasks }],
      );
    case 'edit':
      return ok([{ type: 'convoy-edited', title: command.title, options: command.options }]);
    case 'note-budget':
      return ok(noteBudget(convoy, command));
    case 'watch':
      return ok(
        convoy.watchers.includes(command.name)
          ? []
          : [{ type: 'watcher-added', name: command.name }],
      );
    case 'unwatch':
      return ok(
        convoy.watchers.includes(command.name)
          ? [{ type: 'watcher-removed', name: command.name }]
          : [],
      );
    default:
      return ok(move(convoy, command));
  }
}

/** Membership after a re-stage is exactly what was walked; options given win, the others stay. */
function restage(command: Extract<ConvoyCommand, { type: 'restage' }>): ConvoyEvent[] {
  const wanted = new Set(command.tasks);
  const held = new Set(command.members);
  const gone = command.members.filter((id) => !wanted.has(id));
  const fresh = command.tasks.filter((id) => !held.has(id));
  const events: ConvoyEvent[] = [
    {
      type: 'convoy-restaged',
      verdict: command.verdict,
      title: command.title,
      waveCount: command.waveCount,
    },
  ];
  if (Object.keys(command.options).length > 0)
    events.push({ type: 'convoy-edited', title: null, options: command.options });
  if (gone.length > 0) events.push({ type: 'tasks-untracked', tasks: gone });
  if (fresh.length > 0) events.push({ type: 'tasks-tracked', tasks: fresh });
  return events;
}

function launch(
  convoy: Convoy,
  command: Extract<ConvoyCommand, { type: 'launch' | 'feed' }>,
): Decision {
  if (command.type === 'feed') return ok(convoy.feeding ? [] : [{ type: 'convoy-feeding' }]);
  if (convoy.status === 'open' && convoy.feeding)
    return err({ kind: 'already-launched', since: convoy.launchedAt });
  if (convoy.status === 'staged_warnings' && !command.force)
    return err({ kind: 'warnings-need-force' });
  return ok([{ type: 'convoy-launched', forced: command.force }]);
}

function track(convoy: Convoy, tasks: readonly TaskId[]): ConvoyEvent[] {
  if (tasks.length === 0) return [];
  const events: ConvoyEvent[] = [{ type: 'tasks-tracked', tasks }];
  // What lands is everything: a landing under way stops for work that came after it.
  if (convoy.status === 'landing')
    return [{ type: 'landing-stopped', reason: 'work was added' }, ...events];
  return hasEnded(convoy.status) ? [{ type: 'convoy-reopened' }, ...events] : events;
}

function askLanding(convoy: Convoy, keepWorktrees: boolean): ConvoyEvent[] {
  const isSaid = convoy.landAsked === true && (convoy.keepWorktrees ?? false) === keepWorktrees;
  return isSaid ? [] : [{ type: 'landing-asked', keepWorktrees }];
}

/** Each level is noted once; that agents must end as well is news. */
function noteBudget(
  { spending }: Convoy,
  { level, words, stops }: Extract<ConvoyCommand, { type: 'note-budget' }>,
): ConvoyEvent[] {
  const known = spending ?? { level: 'free', stops: false };
  if (level === known.level && (level !== 'spent' || stops === known.stops)) return [];
  if (level === 'free') return [{ type: 'budget-freed' }];
  return [
    level === 'near' ? { type: 'budget-near', words } : { type: 'budget-spent', words, stops },
  ];
}

/** A name is settled once; until it is on the remotes too, another one may take its place. */
function settleBranches(
  { branchSlug, branchPending }: Convoy,
  command: Extract<ConvoyCommand, { type: 'name-branches' | 'await-branches' | 'settle-branches' }>,
): ConvoyEvent[] {
  const pending = branchPending ?? null;
  switch (command.type) {
    case 'name-branches': {
      const isOpen = branchSlug === undefined || pending !== null;
      return isOpen && branchSlug !== command.slug
        ? [{ type: 'branches-named', slug: command.slug }]
        : [];
    }
    case 'await-branches': {
      const { reason, held } = command;
      return pending?.reason === reason && pending.held === held
        ? []
        : [{ type: 'branches-pending', reason, held }];
    }
    default:
      return pending === null ? [] : [{ type: 'branches-settled' }];
  }
}

type Move = Extract<
  ConvoyCommand,
  {
    type:
      | 'pause'
      | 'resume'
      | 'stall'
      | 'name-branches'
      | 'await-branches'
      | 'settle-branches'
      | 'ask-landing'
      | 'start-landing'
      | 'stop-landing'
      | 'land'
      | 'close'
      | 'cancel';
  }
>;

function move(convoy: Convoy, command: Move): ConvoyEvent[] {
  switch (command.type) {
    case 'pause':
      return convoy.status === 'paused' ? [] : [{ type: 'convoy-paused', reason: command.reason }];
    case 'resume':
      return convoy.status === 'open' ? [] : [{ type: 'convoy-resumed' }];
    case 'stall':
      return convoy.status === 'stalled' && convoy.reason === command.reason
        ? []
        : [{ type: 'convoy-stalled', reason: command.reason }];
    case 'name-branches':
    case 'await-branches':
    case 'settle-branches':
      return settleBranches(convoy, command);
    case 'ask-landing':
      return askLanding(convoy, command.keepWorktrees);
    case 'start-landing':
      return convoy.status === 'landing' ? [] : [{ type: 'landing-started' }];
    case 'stop-landing':
      return [{ type: 'landing-stopped', reason: command.reason }];
    case 'land':
      return [{ type: 'convoy-landed' }];
    case 'close':
      return convoy.status === 'closed' ? [] : [{ type: 'convoy-closed', reason: command.reason }];
    case 'cancel':
      return convoy.status === 'cancelled'
        ? []
        : [{ type: 'convoy-cancelled', reason: command.reason }];
    default:
      return unreachable(command);
  }
}
