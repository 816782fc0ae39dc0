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
};

export type Stored<State> = { readonly state: State; readonly version: number };

export type Change<State, Event> = {
  readonly id: string;
  readonly before: State | null;
  readonly after: State;
  readonly version: number;
  readonly events: readonly Event[];
};
