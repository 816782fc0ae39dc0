import type { DatastoreReport } from '../../../ports/rehearsal.ts';
import type { LogCapture } from '../log-capture.ts';
import type { Scratch } from '../scratch.ts';

export type StoreRequest = {
  readonly scratch: Scratch;
  readonly outsidePath: string;
  readonly log: LogCapture;
  readonly signal: AbortSignal;
};

/** A throw-away server, or why there is none. */
export type StoreOutcome =
  | { readonly kind: 'started'; readonly variables: Readonly<Record<string, string>> }
  | { readonly kind: 'missing'; readonly note: string }
  | { readonly kind: 'broken'; readonly note: string };

export type StoresOutcome = {
  readonly reports: readonly DatastoreReport[];
  readonly variables: Readonly<Record<string, string>>;
  /** A server that is here but did not start: our own trouble, not the service's. */
  readonly broken: string | null;
};
