import type { Convoy } from '../domain/convoy/convoy.ts';
import type { ConvoyEvent } from '../domain/convoy/events.ts';
import { addressees } from '../domain/notify/addresses.ts';
import type { ApprovalEvent } from '../domain/approval/approval.ts';
import type { ChangeEvent } from '../domain/merge/change.ts';
import type { QueueEvent } from '../domain/merge/queue.ts';
import type { BranchEvent } from '../domain/remote/branch.ts';
import type { RepoEvent } from '../domain/repo/repo-state.ts';
import type { ReviewEvent } from '../domain/review/review.ts';
import { approvalNotice } from '../domain/notify/approval-notice.ts';
import { escalationNotices } from '../domain/notify/escalation-notice.ts';
import {
  type ConvoyNotice,
  convoyNotices,
  type Entry,
  type Notice,
  noticeId,
} from '../domain/notify/notice.ts';
import { tellApproval, tellConvoy, tellEscalation, type Telling } from '../domain/notify/tell.ts';
import { workFacts, type WorkFacts } from '../domain/notify/work-facts.ts';
import type { AttemptEvent } from '../domain/work/attempt.ts';
import { changesOfConvoy } from '../ledger/queries/changes.ts';
import { convoyAttempts } from '../ledger/queries/convoy-attempts.ts';
import { convoyMembers, convoyOfTasks } from '../ledger/queries/convoy-members.ts';
import { convoysById } from '../ledger/queries/convoy-list.ts';
import { eventsAfter, type SealedEvent } from '../ledger/queries/events-after.ts';
import { reviewsOf } from '../ledger/queries/reviews.ts';
import { tasksById } from '../ledger/queries/task-list.ts';
import type { Posting } from '../ledger/outbox.ts';
import type { Ledger } from '../ledger/open.ts';
import type { Settings, Sink } from '../ports/settings.ts';
import {
  type Told,
  toldOfBranch,
  toldOfChange,
  toldOfDecision,
  toldOfQueue,
  toldOfRepo,
  toldOfReview,
} from './notify-landing.ts';

type Db = Ledger['db'];
type Span = { readonly after: number; readonly upTo: number };

/** What the events of a span give cause to tell about these subjects, and whom. */
export async function postingsOf(
  db: Db,
  settings: Settings,
  subjects: readonly string[],
  span: Span,
): Promise<Posting[]> {
  const postings: Posting[] = [];
  for (const subject of subjects) {
    const history = (await eventsAfter(db, 0, { subject, limit: LONGEST_HISTORY })).filter(
      ({ seq }) => seq <= span.upTo,
    );
    postings.push(...(await about(db, settings, subject, history, span)));
  }
  return postings.toSorted((a, b) => a.notification.seq - b.notification.seq);
}

const LONGEST_HISTORY = 100_000;

async function about(
  db: Db,
  settings: Settings,
  subject: string,
  history: readonly SealedEvent[],
  span: Span,
): Promise<Posting[]> {
  // oxlint-disable typescript/no-unsafe-type-assertion -- the aggregate that names the subject wrote its events
  const entries = history.map(entryOf) as unknown;
  switch (subject.slice(0, subject.indexOf('/'))) {
    case 'convoy':
      return aboutConvoy(db, settings, entries as Entry<ConvoyEvent>[], span);
    case 'approval':
      return [
        ...(await aboutApproval(db, settings, subject, entries as Entry<ApprovalEvent>[])),
        ...(await posted(
          db,
          settings,
          span,
          toldOfDecision(subject, entries as Entry<ApprovalEvent>[]),
        )),
      ];
    case 'attempt':
      return aboutAttempt(db, settings, subject, entries as Entry<AttemptEvent>[], span);
    case 'review':
      return posted(db, settings, span, toldOfReview(subject, entries as Entry<ReviewEvent>[]));
    case 'change':
      return posted(db, settings, span, toldOfChange(subject, entries as Entry<ChangeEvent>[]));
    case 'queue':
      return posted(db, settings, span, toldOfQueue(subject, entries as Entry<QueueEvent>[]));
    case 'repo':
      return posted(db, settings, span, toldOfRepo(subject, entries as Entry<RepoEvent>[]));
    case 'branch':
      return posted(db, settings, span, toldOfBranch(subject, entries as Entry<BranchEvent>[]));
    default:
      return [];
  }
  // oxlint-enable typescript/no-unsafe-type-assertion
}

async function aboutConvoy(
  db: Db,
  settings: Settings,
  entries: readonly Entry<ConvoyEvent>[],
  span: Span,
): Promise<Posting[]> {
  const postings: Posting[] = [];
  for (const notice of convoyNotices(entries).filter(({ seq }) => seq > span.after)) {
    const { convoy, reason } = notice;
    const facts = await factsOf(db, notice);
    postings.push(
      posting(settings, notice, convoy, tellConvoy(notice, facts), {
        convoy: convoy.id,
        title: convoy.title,
        reason,
        ...factsJson(facts),
      }),
    );
  }
  return postings;
}

async function factsOf(db: Db, { convoy, at }: ConvoyNotice): Promise<WorkFacts> {
  const [now] = await convoysById(db, [convoy.id]);
  const tasks = await tasksById(db, await convoyMembers(db, convoy.id));
  return workFacts(
    tasks,
    await changesOfConvoy(db, convoy.id),
    [
      ...(await convoyAttempts(db, convoy.id)),
      ...(await reviewsOf(db, convoy.id)).map(({ usd = 0, tokens = 0, openedAt }) => ({
        cost: { usd, tokens },
        createdAt: openedAt,
      })),
    ],
    {
      from: convoy.launchedAt ?? convoy.createdAt,
      to: at,
      // Only what has moved on since must be asked for its past; clocks may have jumped.
      movedOn: now?.epoch !== convoy.epoch || now.status !== convoy.status,
    },
  );
}

async function aboutApproval(
  db: Db,
  settings: Settings,
  subject: string,
  entries: readonly Entry<ApprovalEvent>[],
): Promise<Posting[]> {
  const notice = approvalNotice(subject, entries);
  if (notice === null) return [];
  const { kind, subject: of, lane, subjectHash, summary } = notice.wish;
  const convoy = await convoyAround(db, of);
  const facts = { kind, subject: of, lane, subject_hash: subjectHash, summary };
  return [posting(settings, notice, convoy, tellApproval(notice), facts)];
}

async function aboutAttempt(
  db: Db,
  settings: Settings,
  subject: string,
  entries: readonly Entry<AttemptEvent>[],
  span: Span,
): Promise<Posting[]> {
  const postings: Posting[] = [];
  for (const notice of escalationNotices(subject, entries).filter(({ seq }) => seq > span.after)) {
    const { attempt, severity, text } = notice;
    const [convoy] = await convoysById(db, [attempt.convoy]);
    const facts = { attempt: attempt.id, task: attempt.task, convoy: attempt.convoy };
    postings.push(
      posting(settings, notice, convoy ?? null, tellEscalation(notice), {
        ...facts,
        severity,
        text,
      }),
    );
  }
  return postings;
}

/** What is new of it, with its convoy's readers. */
async function posted(
  db: Db,
  settings: Settings,
  span: Span,
  told: readonly Told[],
): Promise<Posting[]> {
  const postings: Posting[] = [];
  for (const { notice, convoy, telling, facts } of told.filter(
    ({ notice: { seq } }) => seq > span.after,
  )) {
    const [known] = convoy === null ? [] : await convoysById(db, [convoy]);
    postings.push(posting(settings, notice, known ?? null, telling, facts));
  }
  return postings;
}

/** The convoy that something is, or belongs to. */
async function convoyAround(db: Db, subject: string): Promise<Convoy | null> {
  const id = subject.slice(subject.indexOf('/') + 1);
  const ofTask = (await convoyOfTasks(db, [id])).get(id);
  const [convoy] = await convoysById(db, [ofTask ?? id]);
  return convoy ?? null;
}

function posting(
  settings: Settings,
  notice: Notice,
  convoy: Convoy | null,
  { title, text }: Telling,
  facts: Readonly<Record<string, unknown>>,
): Posting {
  const { subject, kind, epoch, seq, at } = notice;
  const names = addressees(convoy, settings.workspace.notify, (name) =>
    addressOf(name, sinkNamed(settings, name)),
  );
  return {
    notification: {
      id: noticeId(notice),
      subject,
      kind,
      epoch,
      seq,
      at,
      title,
      body: text,
      facts: JSON.stringify(facts),
    },
    // A name that is no sink is somebody's inbox.
    targets: names.map((name) => ({
      name,
      stored: (sinkNamed(settings, name)?.sink ?? 'inbox') === 'inbox',
    })),
  };
}

/** The sink of a name in the configuration. */
export const sinkNamed = ({ notify }: Settings, name: string): Sink | null =>
  Object.hasOwn(notify, name) ? (notify[name] ?? null) : null;

const addressOf = (name: string, sink: Sink | null): string =>
  sink === null || sink.sink === 'inbox' ? `inbox ${name}` : JSON.stringify(sink);

const entryOf = ({ seq, at, kind, data }: SealedEvent): Entry<object> => ({
  seq,
  at,
  event: { type: kind, ...data },
});

const MOST_ITEMS = 200;

/** Long lists are cut; the counts are not. */
function factsJson(facts: WorkFacts): Readonly<Record<string, unknown>> {
  const { merged, closed, skipped, failed, cancelled, unfinished, landings } = facts;
  const lists = { merged, closed, skipped, failed, cancelled };
  return {
    counts: {
      ...Object.fromEntries(Object.entries(lists).map(([name, items]) => [name, items.length])),
      unfinished,
    },
    ...Object.fromEntries(
      Object.entries(lists).map(([name, items]) => [name, items.slice(0, MOST_ITEMS)]),
    ),
    landings,
    duration_ms: facts.durationMs,
    cost: facts.cost,
  };
}
