import { type Dialect, PostgresDialect } from 'kysely';
import { Pool, types, type CustomTypesConfig } from 'pg';

const MOST_CONNECTIONS = 10;

/** Kysely on Postgres. Our integers fit a double, so they are read as numbers. */
export function postgresDialect(url: string): Dialect {
  const pool = new Pool({ connectionString: url, max: MOST_CONNECTIONS, types: numbers });
  // A connection that dies while idle is replaced; the next query reports if the server is gone.
  pool.on('error', () => {});
  return new PostgresDialect({ pool });
}

const numbers: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format),
};
