import type { Kysely } from 'kysely';
import type { Instant } from '../domain/work/ids.ts';
import type { Tables } from './tables.ts';

/** How one kind of subject is read from and written to the ledger. */
export type Aggregate<State, Event extends { readonly type: string }> = {
  /** First part of the subject: `task/web-a3f`. */
  readonly name: string;
  evolve(state: State | null, event: Event, at: Instant): State;
  load(db: Kysely<Tables>, id: string): Promise<Stored<State> | null>;
  /** Writes the current-state row and whatever is derived from it. */
  save(db: Kysely<Tables>, change: Change<State, Event>): Promise<void>;
  /** Every stored row, and the row that a state gives: `ledger verify` holds one against the other. */
  stored(db: Kysely<Tables>): Promise<StoredRow[]>;
  row(state: State, version: number): StoredRow;
  /** Rows of other tables that follow from the same events. */
  readonly satellites: readonly Satellite<Event>[];
};

export type StoredRow = { readonly id: string } & Readonly<Record<string, unknown>>;

/** A set of facts kept beside an aggregate, such as a task's edges or a convoy's members. */
export type Satellite<Event> = {
  stored(db: Kysely<Tables>): Promise<readonly Fact[]>;
  /** Adds to and takes from the facts of one subject. */
  fold(facts: Set<string>, id: string, event: Event): void;
};

/** One line of text that says what the row says. */
export type Fact = { readonly id: string; readonly fact: string };

export type Stored<State> = { readonly state: State; readonly version: number };

export type Change<State, Event> = {
  readonly id: string;
  readonly before: State | null;
  readonly after: State;
  readonly version: number;
  readonly events: readonly Event[];
};
