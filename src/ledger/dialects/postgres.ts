import { type Dialect, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { Pool, type PoolClient, types, type CustomTypesConfig } from 'pg';
import { LedgerUnreachable } from '../ledger-unreachable.ts';
import { withoutSecrets } from './postgres-url.ts';
import { type Wire, wireOf } from './postgres-wire.ts';

const MOST_CONNECTIONS = 20;
const LONGEST_CONNECT_MS = 10_000;
/** A process that is stopped in the middle of a transaction must not hold everybody else up. */
const LONGEST_PAUSE_MS = 20_000;

/** Kysely on Postgres. Our integers fit a double, so they are read as numbers. */
export function postgresDialect(url: string): Dialect {
  const pool = new Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: LONGEST_CONNECT_MS,
    keepAlive: true,
    idle_in_transaction_session_timeout: LONGEST_PAUSE_MS,
    pipeline: true,
    application_name: 'convoy',
    types: numbers,
  });
  // A connection that dies while idle is replaced; the next query reports if the server is gone.
  pool.on('error', () => {});
  return new PostgresDialect({ pool: facade(pool, url) });
}

const numbers: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format),
};

/** Between Kysely and the driver: few round trips, and lost connections say what they are. */
function facade(pool: Pool, url: string): PostgresPool {
  const known = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw explained(error, url);
      });
      const before = known.get(client);
      if (before !== undefined) return before;
      // A connection that is cut off fails its query; this keeps it from failing the process.
      client.on('error', () => {});
      const wrapped = explaining(wireOf(client), url);
      known.set(client, wrapped);
      return wrapped;
    },
  };
}

function explaining(wire: Wire, url: string): PostgresPoolClient {
  const query = (text: string, values: readonly unknown[]): Promise<unknown> =>
    wire.query(text, values).catch((error: unknown) => {
      throw explained(error, url);
    });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Kysely calls only these two, query only like this
  return { query, release: () => wire.release() } as unknown as PostgresPoolClient;
}

/** What the server or the network say when the connection, not the statement, is the trouble. */
const CONNECTION_TROUBLE =
  /^(08...|25P03|57P0[1-3]|53300|3D000|28...|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const CONNECTION_WORDS = /connection terminated|timeout exceeded|not queryable|connection error/i;

function explained(error: unknown, url: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  const lost =
    CONNECTION_TROUBLE.test(code) || (code === '' && CONNECTION_WORDS.test(error.message));
  if (!lost) return error;
  const why = error.message === '' ? code : error.message;
  return new LedgerUnreachable(withoutSecrets(url), why, error);
}
