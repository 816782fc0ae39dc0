import type { Convoy } from '../convoy/convoy.ts';
import type { ConvoyEvent } from '../convoy/events.ts';
import { evolveConvoy } from '../convoy/evolve.ts';
import type { Instant } from '../work/ids.ts';
import { causesOf } from './stall-causes.ts';

export const NOTICE_KINDS = [
  'launched',
  'stalled',
  'landed',
  'closed',
  'cancelled',
  'approval_waiting',
  'needs_decision',
  'budget_near',
  'budget_spent',
  'review_rejected',
  'conflict_ageing',
  'push_failing',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Something people are told, once: the subject, the kind and the epoch together name it. */
export type Notice = {
  /** `convoy/cv-7k2p9` */
  readonly subject: string;
  readonly kind: NoticeKind;
  /** Which launch or ending of the convoy; for a stall, a budget or a call for help, the event itself. */
  readonly epoch: number;
  /** The event that says so. */
  readonly seq: number;
  readonly at: Instant;
  readonly reason: string | null;
};

export type ConvoyNotice = Notice & {
  /** The convoy as it was at that moment, whatever has become of it since. */
  readonly convoy: Convoy;
};

export type Entry<Event> = {
  readonly seq: number;
  readonly at: Instant;
  readonly event: Event;
};

/** A stall may be a moment between two passes; a shorter one is not told. */
export const BRIEF_STALL_MS = 2000;

/**
 * Everything a convoy's history gives cause to tell, in order.
 *
 * The whole history is read, not only what is new, so that the answer does not depend on when, how
 * often or by whom it is asked.
 */
export function convoyNotices(history: readonly Entry<ConvoyEvent>[]): ConvoyNotice[] {
  const notices: ConvoyNotice[] = [];
  const told = new Set<string>();
  let causes: ReadonlySet<string> = new Set();
  const moments = momentsOf(history);
  for (const [place, { seq, at, event, convoy }] of moments.entries()) {
    if (convoy.status !== 'stalled') causes = new Set();
    const kind = KINDS[event.type];
    if (kind === undefined) continue;
    if (kind === 'stalled') {
      const now = causesOf(convoy.reason ?? '');
      const isKnown = causes.size > 0 && now.isSubsetOf(causes);
      causes = causes.union(now);
      if (isKnown || isBrief(moments, place)) continue;
    }
    const epoch = EVENT_IS_EPOCH.includes(kind) ? seq : convoy.epoch;
    if (told.has(`${kind} ${epoch}`)) continue;
    told.add(`${kind} ${epoch}`);
    const subject = `convoy/${convoy.id}`;
    const reason = 'words' in event ? event.words : convoy.reason;
    notices.push({ subject, kind, epoch, seq, at, reason, convoy });
  }
  return notices;
}

/** What may come again within one launch. */
const EVENT_IS_EPOCH: readonly NoticeKind[] = ['stalled', 'budget_near', 'budget_spent'];

type Moment = Entry<ConvoyEvent> & { readonly convoy: Convoy };

/** Each event with the convoy as it was after it. */
function momentsOf(history: readonly Entry<ConvoyEvent>[]): Moment[] {
  let convoy: Convoy | null = null;
  return history.map((entry) => {
    convoy = evolveConvoy(convoy, entry.event, entry.at);
    return { ...entry, convoy };
  });
}

function isBrief(moments: readonly Moment[], place: number): boolean {
  const end = moments.find(({ convoy }, at) => at > place && convoy.status !== 'stalled');
  return end !== undefined && end.at - (moments[place]?.at ?? 0) < BRIEF_STALL_MS;
}

const KINDS: Partial<Record<ConvoyEvent['type'], NoticeKind>> = {
  'convoy-launched': 'launched',
  'convoy-feeding': 'launched',
  'convoy-stalled': 'stalled',
  'convoy-landed': 'landed',
  'convoy-closed': 'closed',
  'convoy-cancelled': 'cancelled',
  'budget-near': 'budget_near',
  'budget-spent': 'budget_spent',
};

/** Events that may give cause to tell something. */
export const TELLING_EVENTS: readonly string[] = [
  ...Object.keys(KINDS),
  'approval-requested',
  'attempt-escalated',
  'attempt-silent',
  'approval-decided',
  'review-answered',
  'change-conflict-escalated',
  'queue-stalled',
  'origin-troubled',
  'branch-troubled',
];

/** Names a notice for ever: the same cause gives the same id. */
export const noticeId = ({ subject, kind, epoch }: Notice): string =>
  `${subject.slice(subject.indexOf('/') + 1)}-${kind}-${epoch}`;
