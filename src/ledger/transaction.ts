import { type Kysely, sql, type Transaction } from 'kysely';
import type { Instant } from '../domain/work/ids.ts';
import type { Aggregate, Stored } from './aggregate.ts';
import { NOTIFY } from './dialects/postgres-channel.ts';
import type { LedgerEngine } from './engine.ts';
import { prepared } from './prepared.ts';
import { GENESIS, hashEvent } from './seal.ts';
import type { Tables } from './tables.ts';

/** What a command may do with the ledger: read, and record events. All of it or nothing is kept. */
export type Tx = {
  readonly db: Kysely<Tables>;
  readonly at: Instant;
  readonly actor: string;
  load<S, E extends { readonly type: string }>(
    aggregate: Aggregate<S, E>,
    id: string,
  ): Promise<Stored<S> | null>;
  /** Appends events to a subject and brings its row up to date. */
  record<S, E extends { readonly type: string }>(
    aggregate: Aggregate<S, E>,
    id: string,
    events: readonly E[],
  ): Promise<S>;
  /**
   * Waits for every other transaction that asked for the same word. For rules that span subjects
   * (no cycles, one launched convoy per task); SQLite has one writer, so there it is free.
   */
  alone(word: string): Promise<void>;
  /**
   * Tells whoever waits for changes, for rows that no event stands for. On Postgres they hear of events only; on
   * SQLite they see every write.
   */
  ring(): Promise<void>;
  /** How many events this transaction has recorded. */
  readonly recorded: number;
};

export function beginTx(
  db: Transaction<Tables>,
  engine: LedgerEngine,
  actor: string,
  at: Instant,
): Tx {
  const append = engine === 'sqlite' ? sealingAppend(db) : plainAppend(db);
  const memory = remembering(db);
  let recorded = 0;
  return {
    db,
    at,
    actor,
    get recorded() {
      return recorded;
    },
    load: memory.load,
    async alone(word) {
      if (engine === 'postgres')
        await sql`select pg_advisory_xact_lock(hashtextextended(${word}, 0))`.execute(db);
    },
    async ring() {
      if (engine === 'postgres') await sql.raw(NOTIFY).execute(db);
    },
    async record<S, E extends { readonly type: string }>(
      aggregate: Aggregate<S, E>,
      id: string,
      events: readonly E[],
    ) {
      const stored = await memory.load(aggregate, id);
      const before = stored?.state ?? null;
      let version = stored?.version ?? 0;
      let after: S | null = before;
      for (const event of events) {
        version += 1;
        const { type, ...data } = event;
        await append({
          subject: `${aggregate.name}/${id}`,
          version,
          kind: type,
          data: JSON.stringify(data),
          actor,
          at,
        });
        after = aggregate.evolve(after, event, at);
      }
      if (after === null) throw new Error(`Nothing is known of ${aggregate.name}/${id}`);
      if (events.length > 0) await aggregate.save(db, { id, before, after, version, events });
      memory.keep(aggregate.name, id, { state: after, version });
      recorded += events.length;
      return after;
    },
  };
}

const MOST_REMEMBERED = 1000;

/**
 * What this transaction has read or written need not be read again: on SQLite nobody else can
 * write meanwhile, on Postgres another writer of the subject makes the transaction clash.
 */
function remembering(db: Kysely<Tables>): {
  load: Tx['load'];
  keep: (name: string, id: string, stored: Stored<unknown>) => void;
} {
  const known = new Map<string, Stored<unknown> | null>();
  const keep = (name: string, id: string, stored: Stored<unknown> | null): void => {
    if (known.size >= MOST_REMEMBERED) known.clear();
    known.set(`${name}/${id}`, stored);
  };
  return {
    keep,
    async load<S, E extends { readonly type: string }>(aggregate: Aggregate<S, E>, id: string) {
      const before = known.get(`${aggregate.name}/${id}`);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kept under the aggregate's own name
      if (before !== undefined) return before as Stored<S> | null;
      const stored = await aggregate.load(db, id);
      keep(aggregate.name, id, stored);
      return stored;
    },
  };
}

type NewEvent = {
  subject: string;
  version: number;
  kind: string;
  data: string;
  actor: string;
  at: number;
};
type Append = (event: NewEvent) => Promise<void>;

/** SQLite has one writer, so events get their place and hash inside the transaction. */
function sealingAppend(db: Transaction<Tables>): Append {
  let head: { seq: number; hash: string } | null = null;
  return async (event) => {
    head ??= await lastSealed(db);
    const seq = head.seq + 1;
    const hash = hashEvent(head.hash, { seq, ...event });
    await insertSealed(db, { seq, hash, ...event });
    head = { seq, hash };
  };
}

/** On Postgres events are sealed after the commit: see sealer.ts. */
function plainAppend(db: Transaction<Tables>): Append {
  return async (event) => {
    await insertPlain(db, event);
  };
}

export async function lastSealed(db: Kysely<Tables>): Promise<{ seq: number; hash: string }> {
  const [head] = await selectHead(db, {});
  return head === undefined
    ? { seq: 0, hash: GENESIS }
    : { seq: head.seq ?? 0, hash: head.hash ?? '' };
}

const selectHead = prepared<Record<string, never>, { seq: number | null; hash: string | null }>(
  [],
  (db) =>
    db
      .selectFrom('event')
      .select(['seq', 'hash'])
      .where('seq', 'is not', null)
      .orderBy('seq', 'desc')
      .limit(sql.lit(1)),
);

const EVENT = ['subject', 'version', 'kind', 'data', 'actor', 'at'] as const;

const insertPlain = prepared(EVENT, (db, event: NewEvent) => db.insertInto('event').values(event));

const insertSealed = prepared(
  ['seq', 'hash', ...EVENT],
  (db, event: NewEvent & { seq: number; hash: string }) => db.insertInto('event').values(event),
);
