import type { DatastoreReport } from '../../../ports/rehearsal.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import type { StoreOutcome, StoreRequest, StoresOutcome } from './store.ts';

type Known = {
  /** Set by the caller, any of these says: use mine. */
  readonly variables: readonly string[];
  readonly start: (request: StoreRequest) => Promise<StoreOutcome>;
};

const none = (what: string) => async (): Promise<StoreOutcome> => ({
  kind: 'missing',
  note: `a throw-away ${what} is not offered; give its address with --env`,
});

const KNOWN: Readonly<Record<string, Known>> = {
  postgres: {
    variables: ['DATABASE_URL', 'POSTGRES_URL', 'PGHOST'],
    start: startPostgres,
  },
  redis: { variables: ['REDIS_URL', 'REDIS_HOST'], start: startRedis },
  mysql: { variables: ['DATABASE_URL', 'MYSQL_URL', 'MYSQL_HOST'], start: none('MySQL') },
  mongodb: { variables: ['MONGODB_URI', 'MONGO_URL', 'DATABASE_URL'], start: none('MongoDB') },
};

/** Starts a throw-away server for each data store that a lane needs and was not given. */
export async function startStores(
  names: readonly string[],
  explicit: Readonly<Record<string, string>>,
  request: StoreRequest,
): Promise<StoresOutcome> {
  const reports: DatastoreReport[] = [];
  let variables: Readonly<Record<string, string>> = {};
  for (const name of new Set(names)) {
    const known = KNOWN[name === 'postgresql' ? 'postgres' : name];
    const given = known?.variables.find((variable) => variable in explicit);
    if (name === 'sqlite') {
      reports.push({ name, state: 'not-needed', note: 'its file lies in the copy' });
    } else if (given !== undefined) {
      reports.push({ name, state: 'given', note: `${given} was given` });
    } else {
      const outcome = await (known?.start ?? none(name))(request);
      if (outcome.kind === 'broken') return { reports, variables, broken: outcome.note };
      if (outcome.kind === 'started') variables = { ...variables, ...outcome.variables };
      reports.push(
        outcome.kind === 'started'
          ? { name, state: 'started', note: Object.keys(outcome.variables).join(', ') }
          : { name, state: 'missing', note: outcome.note },
      );
    }
  }
  return { reports, variables, broken: null };
}
