import { afterCrash, afterSend, type Sent } from '../domain/notify/delivery.ts';
import { pack, type Parcel } from '../domain/notify/digest.ts';
import { eventsAfter, type SealedEvent } from '../ledger/queries/events-after.ts';
import {
  claim,
  type Claimed,
  dueDeliveries,
  type DueDelivery,
  giveUp,
  lostDeliveries,
  nextDelivery,
  type NotificationRow,
  notifyCursor,
  post,
  settle,
} from '../ledger/outbox.ts';
import { lastSealed } from '../ledger/transaction.ts';
import { BRIEF_STALL_MS, TELLING_EVENTS } from '../domain/notify/notice.ts';
import type { Message, Notifier, Told } from '../ports/notifier.ts';
import type { Settings } from '../ports/settings.ts';
import { postingsOf, sinkNamed } from './notify-postings.ts';
import type { World } from './world.ts';

export type NotifyWorld = Pick<
  World,
  'ledger' | 'settings' | 'ids' | 'now' | 'chance' | 'log' | 'notifier'
>;

export type Notifying = {
  /** Tells what has happened and tries again what is due; says in how many ms there is more to do. */
  pass(): Promise<number | null>;
  /** A last pass before the engine goes: news goes out, what has failed before waits. */
  finish(): Promise<unknown>;
};

const EVENTS_AT_ONCE = 500;
const DELIVERIES_AT_ONCE = 500;
/** So far may the stored cursor lag behind when there was nothing to tell. */
const LONGEST_LAG = 10_000;
/** Longer than any notifier takes to answer. */
const CLAIM_MS = 30_000;

/** Turns sealed events into notifications and brings each to its readers, once. */
export function notifying(world: NotifyWorld): Notifying {
  const memory = { seen: 0 };
  const run = async (isLast: boolean): Promise<number | null> => {
    const settings = world.settings.read();
    // A configuration that cannot be read names nobody: what is to be told waits until it can.
    if (!settings.ok) return null;
    // What was committed a moment ago is news as well, above all to an engine that is about to go.
    await world.ledger.seal();
    let derived: Derived;
    do derived = await derive(world, settings.value, memory, isLast);
    while (derived.isFull);
    await recover(world, settings.value);
    await deliver(world, settings.value, isLast);
    const now = world.now();
    const next = await nextDelivery(world.ledger.db, now);
    const due = [derived.dueMs, next === null ? null : next - now].flatMap((ms) => ms ?? []);
    return due.length === 0 ? null : Math.min(...due);
  };
  return { pass: () => run(false), finish: () => run(true) };
}

/** Whether there may be another page, and when a stall has lasted long enough to be told. */
type Derived = Pick<Page, 'isFull' | 'dueMs'>;

/** Reads one page of the feed into the outbox. */
async function derive(
  world: NotifyWorld,
  settings: Settings,
  memory: { seen: number },
  isLast: boolean,
): Promise<Derived> {
  const { ledger } = world;
  const stored = await notifyCursor(ledger.db);
  const after = Math.max(memory.seen, stored);
  const { page, reached, isFull, dueMs } = await pageAfter(world, after, isLast);
  const subjects = [...new Set(page.map(({ subject }) => subject))];
  const postings = await postingsOf(ledger.db, settings, subjects, { after, upTo: reached });
  if (postings.length > 0 || reached - stored > LONGEST_LAG) await post(ledger, postings, reached);
  memory.seen = Math.max(after, reached);
  return { isFull, dueMs };
}

type Page = {
  readonly page: readonly SealedEvent[];
  readonly reached: number;
  readonly isFull: boolean;
  readonly dueMs: number | null;
};

/** The next events that matter, up to a stall that may yet turn out to be a mere moment. */
async function pageAfter(world: NotifyWorld, after: number, isLast: boolean): Promise<Page> {
  const { db } = world.ledger;
  // Asked before the page, so that an event in between is not passed over.
  const { seq: head } = await lastSealed(db);
  const page = await eventsAfter(db, after, { kinds: TELLING_EVENTS, limit: EVENTS_AT_ONCE });
  const now = world.now();
  const young = isLast ? -1 : page.findIndex((event) => isYoungStall(event, now));
  if (young !== -1) {
    const before = (page[young]?.seq ?? 1) - 1;
    const dueMs = (page[young]?.at ?? now) + BRIEF_STALL_MS - now;
    return { page: page.slice(0, young), reached: before, isFull: false, dueMs };
  }
  const last = page.at(-1)?.seq ?? head;
  const isFull = page.length === EVENTS_AT_ONCE;
  return { page, reached: isFull ? last : Math.max(head, last), isFull, dueMs: null };
}

/** A clock that was set back makes nothing young. */
const isYoungStall = ({ kind, at }: SealedEvent, now: number): boolean =>
  kind === 'convoy-stalled' && at <= now && now - at < BRIEF_STALL_MS;

/** What was being sent when its sender died is sent again, or never, as its reader allows. */
async function recover(world: NotifyWorld, settings: Settings): Promise<void> {
  const { ledger, log } = world;
  for (const lost of await lostDeliveries(ledger.db, world.now())) {
    const repeatable = notifierOf(world, settings, lost.target)?.repeatable ?? false;
    const outcome = afterCrash(repeatable, world.now());
    await giveUp(ledger, lost, outcome, world.now());
    log(`notify: a message to ${lost.target} was cut off, now ${outcome.status}`);
  }
}

/** Readers do not wait for each other; what one of them gets keeps its order. */
async function deliver(world: NotifyWorld, settings: Settings, newsOnly: boolean): Promise<void> {
  const due = await dueDeliveries(world.ledger.db, world.now(), {
    limit: DELIVERIES_AT_ONCE,
    newsOnly,
  });
  const byTarget = [...Map.groupBy(due, ({ target }) => target).values()];
  const ends = await Promise.allSettled(
    byTarget.map((waiting) => deliverTo(world, settings, waiting)),
  );
  const broken = ends.find(({ status }) => status === 'rejected');
  if (broken?.status === 'rejected') throw broken.reason;
}

async function deliverTo(
  world: NotifyWorld,
  settings: Settings,
  waiting: readonly DueDelivery[],
): Promise<void> {
  const digestName = (): string => `digest-${world.ids.base36(12)}`;
  for (const parcel of pack(waiting, digestName)) {
    const notifier = notifierOf(world, settings, parcel.target);
    const sent = await deliverParcel(world, notifier, parcel);
    // One that does not answer now will hardly answer the next message.
    if (sent?.kind === 'failed' || sent?.kind === 'unsure') return;
  }
}

/** Intent, effect, record. Null when somebody else was quicker. */
async function deliverParcel(
  world: NotifyWorld,
  notifier: Notifier | null,
  parcel: Parcel<DueDelivery>,
): Promise<Sent | null> {
  const { ledger, ids } = world;
  const now = world.now();
  const taken = await claim(ledger, parcel, {
    claim: ids.base36(16),
    now,
    until: now + CLAIM_MS,
  });
  if (!taken.ok) return null;
  const sent = await sendOrRefuse(notifier, parcel, taken.value);
  const tries = taken.value.tries + 1;
  const repeatable = notifier?.repeatable ?? false;
  const outcome = afterSend(sent, { tries, repeatable }, world.now(), world.chance());
  await settle(ledger, { claim: taken.value.claim, tries }, outcome, world.now());
  if (outcome.status !== 'delivered')
    world.log(`notify: ${parcel.message} is ${outcome.status}: ${outcome.error}`);
  return sent;
}

async function sendOrRefuse(
  notifier: Notifier | null,
  parcel: Parcel<DueDelivery>,
  { notifications }: Claimed,
): Promise<Sent> {
  if (notifier === null)
    return { kind: 'refused', reason: `there is no [notify.${parcel.target}] any more` };
  return notifier.send(messageIn(parcel.message, notifications));
}

function messageIn(id: string, rows: readonly NotificationRow[]): Message {
  const notifications = rows.map(toldIn);
  const [first] = notifications;
  if (first === undefined) throw new Error(`The message ${id} is empty`);
  const { kind, at, title, text } = first;
  if (notifications.length === 1) return { id, kind, at, title, text, notifications };
  return {
    id,
    kind: 'digest',
    at: notifications.at(-1)?.at ?? at,
    title: `Convoy: ${notifications.length} notifications`,
    text: notifications.map((each) => each.title).join('\n'),
    notifications,
  };
}

const toldIn = ({ id, subject, kind, epoch, at, title, body, facts }: NotificationRow): Told => ({
  id,
  kind,
  subject,
  epoch,
  at,
  title,
  text: body,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only postingsOf() writes this column
  facts: JSON.parse(facts) as Told['facts'],
});

function notifierOf(world: NotifyWorld, settings: Settings, target: string): Notifier | null {
  const sink = sinkNamed(settings, target);
  return sink === null ? null : world.notifier(sink);
}
