import type { Problem } from '../contract/problem.ts';
import type { AnyRoute, BodyOf, OutputOf, ParamsOf, QueryOf } from '../contract/route.ts';
import type { Identity } from '../domain/identity/identity.ts';
import type { Ledger } from '../ledger/open.ts';
import type { Tx } from '../ledger/transaction.ts';
import type { Result } from '../lib/result.ts';
import type { Drafter } from '../ports/drafter.ts';
import type { Executor } from '../ports/executor.ts';
import type { Ids } from '../ports/ids.ts';
import type { Machine } from '../ports/machine.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { SettingsStore } from '../ports/settings.ts';
import type { ShipServices } from './ship-services.ts';
import type { Webhooks } from './webhooks.ts';

/** Everything a handler may reach besides the ledger transaction it is given. */
export type Services = {
  readonly ledger: Ledger;
  readonly settings: SettingsStore;
  readonly ids: Ids;
  readonly machine: Machine;
  /** Loaded when first asked for: most commands need none. */
  executor(): Promise<Executor>;
  /** Null when no key of a model is given. */
  drafter(): Promise<Drafter | null>;
  readonly repositories: Repositories;
  /** Loaded when first asked for: most commands never plan or ship. */
  readonly ship: () => Promise<ShipServices>;
  readonly workspace: { readonly root: string; readonly dir: string };
  readonly version: string;
  /** Names this running instance, so that a client never talks to another workspace. */
  readonly instance: string;
  /** True in the process that holds the engine. */
  readonly engine: boolean;
  /** Null where nobody would act on them. */
  readonly webhooks: Webhooks | null;
  /** Base address of the dashboard, when one is served. */
  readonly dashboard: string | null;
  now(): number;
};

export type Asked<R extends AnyRoute> = {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
  /** Who asks, as it is written on events. */
  readonly actor: string;
  readonly identity: Identity;
  /** What a page must send to change something; null when no cookie is involved. */
  readonly csrf: string | null;
};

/** The answer without its `schema` tag, which the server adds. */
export type Answer<R extends AnyRoute> = Result<Omit<OutputOf<R>, 'schema'>, Problem>;

export type Handler = {
  readonly route: AnyRoute;
} & (
  | {
      readonly kind: 'read';
      // oxlint-disable-next-line typescript/no-explicit-any -- reads() and writes() keep route and handler together
      readonly run: (asked: Asked<any>, services: Services) => Promise<Result<object, Problem>>;
    }
  | {
      readonly kind: 'write';
      /** What is asked of the world outside before the transaction, which must be short. */
      // oxlint-disable-next-line typescript/no-explicit-any -- see above
      readonly before?: (asked: Asked<any>, services: Services) => Promise<unknown>;
      readonly run: (
        // oxlint-disable-next-line typescript/no-explicit-any -- see above
        asked: Asked<any>,
        tx: Tx,
        services: Services,
        // oxlint-disable-next-line typescript/no-explicit-any -- what `before` gave
        prepared: any,
      ) => Promise<Result<object, Problem>>;
    }
);

/** A route that only looks. */
export function reads<R extends AnyRoute>(
  route: R,
  run: (asked: Asked<R>, services: Services) => Promise<Answer<R>>,
): Handler {
  return { kind: 'read', route, run };
}

/** A route that changes something: all of it in one transaction, nothing when it refuses. */
export function writes<R extends AnyRoute>(
  route: R,
  run: (asked: Asked<R>, tx: Tx, services: Services) => Promise<Answer<R>>,
): Handler {
  return { kind: 'write', route, run };
}

/** A route that asks the world outside before it changes something. */
export function writesAfter<R extends AnyRoute, P>(
  route: R,
  before: (asked: Asked<R>, services: Services) => Promise<P>,
  run: (asked: Asked<R>, tx: Tx, services: Services, prepared: P) => Promise<Answer<R>>,
): Handler {
  return { kind: 'write', route, before, run };
}
