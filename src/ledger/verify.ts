import type { Kysely } from 'kysely';
import type { Aggregate, Fact, StoredRow } from './aggregate.ts';
import { approvalAggregate } from './aggregates/approval.ts';
import { attemptAggregate } from './aggregates/attempt.ts';
import { branchAggregate } from './aggregates/branch.ts';
import { changeAggregate } from './aggregates/change.ts';
import { convoyAggregate } from './aggregates/convoy.ts';
import { queueAggregate } from './aggregates/queue.ts';
import { repoAggregate } from './aggregates/repo.ts';
import { reviewAggregate } from './aggregates/review.ts';
import { runAggregate } from './aggregates/run.ts';
import { taskAggregate } from './aggregates/task.ts';
import { tokenAggregate } from './aggregates/token.ts';
import { GENESIS, hashEvent } from './seal.ts';
import type { Tables } from './tables.ts';

export type Verification = {
  readonly events: number;
  readonly subjects: number;
  readonly problems: readonly LedgerProblem[];
};

export type LedgerProblem = {
  readonly kind:
    | 'broken-chain'
    | 'gap'
    | 'version-gap'
    | 'unknown-subject'
    | 'row-differs'
    | 'row-missing'
    | 'row-unexplained';
  readonly seq: number | null;
  readonly subject: string;
  readonly message: string;
};

const PAGE = 5000;

/** Replays every event: the chain must hold, and the rows must be what the events say. */
export function verifyLedger(db: Kysely<Tables>): Promise<Verification> {
  // One view of everything: a command that commits meanwhile is wholly in it or wholly not.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(verifyView);
}

async function verifyView(db: Kysely<Tables>): Promise<Verification> {
  const problems: LedgerProblem[] = [];
  const rooms = new Map(everyRoom().map((room) => [room.name, room]));
  const versions = new Map<string, number>();
  let chain = { seq: 0, hash: GENESIS };
  let events = 0;
  for await (const event of everyEvent(db)) {
    if (event.seq !== null) problems.push(...brokenBy(event, event.seq, chain));
    problems.push(...skippedBy(event, versions));
    const [room, id] = split(event.subject);
    const known = rooms.get(room);
    if (known === undefined)
      problems.push(problem('unknown-subject', event, 'nobody writes such events'));
    else known.apply(id, event);
    versions.set(event.subject, event.version);
    if (event.seq !== null) chain = { seq: event.seq, hash: event.hash ?? '' };
    events += 1;
  }
  for (const room of rooms.values()) problems.push(...(await room.compare(db, versions)));
  return { events, subjects: versions.size, problems };
}

/** In the order of the feed, then what is committed and not sealed yet. */
async function* everyEvent(db: Kysely<Tables>): AsyncGenerator<StoredEvent> {
  const pages = [
    (last: StoredEvent | undefined) =>
      db
        .selectFrom('event')
        .selectAll()
        .where('seq', '>', last?.seq ?? 0)
        .orderBy('seq'),
    (last: StoredEvent | undefined) =>
      db
        .selectFrom('event')
        .selectAll()
        .where('seq', 'is', null)
        .where('id', '>', last?.id ?? 0)
        .orderBy('id'),
  ];
  for (const after of pages) {
    let page: StoredEvent[] = [];
    do {
      page = await after(page.at(-1)).limit(PAGE).execute();
      yield* page;
    } while (page.length === PAGE);
  }
}

/** Every kind of subject the ledger knows. */
const everyRoom = (): Room[] => [
  replay(taskAggregate),
  replay(convoyAggregate),
  replay(repoAggregate),
  replay(tokenAggregate),
  replay(approvalAggregate),
  replay(attemptAggregate),
  replay(changeAggregate),
  replay(queueAggregate),
  replay(runAggregate),
  replay(reviewAggregate),
  replay(branchAggregate),
];

type StoredEvent = Omit<Tables['event'], 'id'> & { readonly id: number };

function brokenBy(
  event: StoredEvent,
  seq: number,
  chain: { seq: number; hash: string },
): LedgerProblem[] {
  const found: LedgerProblem[] = [];
  if (seq !== chain.seq + 1)
    found.push(problem('gap', event, `event ${chain.seq + 1} is missing before ${seq}`));
  if (hashEvent(chain.hash, { ...event, seq }) !== event.hash)
    found.push(problem('broken-chain', event, `event ${seq} or the one before it was changed`));
  return found;
}

function skippedBy(event: StoredEvent, versions: ReadonlyMap<string, number>): LedgerProblem[] {
  const next = (versions.get(event.subject) ?? 0) + 1;
  return event.version === next
    ? []
    : [problem('version-gap', event, `version ${next} of ${event.subject} is missing`)];
}

/** The states and facts that the events of one kind of subject give. */
function replay<S, E extends { readonly type: string }>(aggregate: Aggregate<S, E>): Room {
  const states = new Map<string, S>();
  const facts = aggregate.satellites.map(() => new Map<string, Set<string>>());
  return {
    name: aggregate.name,
    apply(id, { kind, data, at }) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this aggregate wrote the event
      const event = { type: kind, ...(JSON.parse(data) as object) } as unknown as E;
      states.set(id, aggregate.evolve(states.get(id) ?? null, event, at));
      aggregate.satellites.forEach((satellite, place) => {
        const held = facts[place]?.get(id) ?? new Set<string>();
        satellite.fold(held, id, event);
        facts[place]?.set(id, held);
      });
    },
    async compare(db, versions) {
      const { name } = aggregate;
      const expected = [...states].map(([id, state]) =>
        asFact(aggregate.row(state, versions.get(`${name}/${id}`) ?? 0)),
      );
      const problems = differences(name, (await aggregate.stored(db)).map(asFact), expected);
      for (const [place, satellite] of aggregate.satellites.entries()) {
        const folded = [...(facts[place] ?? [])].flatMap(([id, held]) =>
          [...held].map((fact) => ({ id, fact })),
        );
        problems.push(...differences(name, await satellite.stored(db), folded));
      }
      return problems;
    },
  };
}

type Room = {
  readonly name: string;
  apply(id: string, event: StoredEvent): void;
  compare(db: Kysely<Tables>, versions: ReadonlyMap<string, number>): Promise<LedgerProblem[]>;
};

function differences(
  name: string,
  stored: readonly Fact[],
  expected: readonly Fact[],
): LedgerProblem[] {
  const have = new Map(stored.map((fact) => [`${fact.id} ${fact.fact}`, fact]));
  const want = new Map(expected.map((fact) => [`${fact.id} ${fact.fact}`, fact]));
  const missing = [...want].filter(([text]) => !have.has(text)).map(([, { id }]) => id);
  const extra = [...have].filter(([text]) => !want.has(text)).map(([, { id }]) => id);
  const both = new Set(missing).intersection(new Set(extra));
  const say = (kind: LedgerProblem['kind'], id: string, message: string): LedgerProblem => ({
    kind,
    seq: null,
    subject: `${name}/${id}`,
    message,
  });
  return [
    ...[...both].map((id) => say('row-differs', id, 'the tables do not hold what the events give')),
    ...missing
      .filter((id) => !both.has(id))
      .map((id) => say('row-missing', id, 'the events say so, the tables do not')),
    ...extra
      .filter((id) => !both.has(id))
      .map((id) => say('row-unexplained', id, 'in the tables without an event')),
  ];
}

const asFact = (row: StoredRow): Fact => ({
  id: row.id,
  fact: JSON.stringify(
    Object.keys(row)
      .toSorted()
      .map((column) => [column, row[column]]),
  ),
});

const problem = (
  kind: LedgerProblem['kind'],
  event: StoredEvent,
  message: string,
): LedgerProblem => ({
  kind,
  seq: event.seq,
  subject: event.subject,
  message,
});

function split(subject: string): [string, string] {
  const slash = subject.indexOf('/');
  return [subject.slice(0, slash), subject.slice(slash + 1)];
}
