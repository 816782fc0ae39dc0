import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { TEMPLATE } from './global-setup.ts';

export type TestDatabase = {
  readonly name: string;
  readonly url: string;
  /** Runs statements as somebody who is not Convoy. */
  run(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Throws every row away, so that the next test begins with nothing. */
  empty(): Promise<void>;
  drop(): Promise<void>;
};

/** Whether this run has a Postgres server. */
export const hasPostgres = (): boolean => inject('postgres') !== null;

/** A database of our own: with the ledger's tables, or with nothing in it. */
export async function createDatabase(tables: 'ledger' | 'none' = 'ledger'): Promise<TestDatabase> {
  return copyOf(tables === 'ledger' ? TEMPLATE : 'template0');
}

/** A copy of a database that nobody is connected to. */
export async function copyOf(template: string): Promise<TestDatabase> {
  const server = inject('postgres');
  if (server === null) throw new Error('This run has no Postgres server');
  const name = `t_${randomBytes(6).toString('hex')}`;
  await runOn(
    `${server}postgres`,
    `create database ${name} template ${template} strategy file_copy`,
  );
  const url = `${server}${name}`;
  return {
    name,
    url,
    run: (sql, values) => runOn(url, sql, values),
    empty: async () => {
      await runOn(url, await emptying(url));
    },
    drop: async () => {
      await runOn(`${server}postgres`, `drop database if exists ${name} with (force)`);
    },
  };
}

async function emptying(url: string): Promise<string> {
  const tables = await runOn(
    url,
    `select quote_ident(tablename) as name from pg_tables
     where schemaname = 'public' and tablename not like 'kysely%'`,
  );
  return tables.map(({ name }) => `delete from ${String(name)}`).join('; ');
}

const free: TestDatabase[] = [];

/** Ends whoever is still connected, as processes that a test killed may seem to be, and waits for it. */
const CUT_OFF = `select pg_terminate_backend(pid, 5000) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

/**
 * An empty ledger's database for one test; give it back afterwards, and the next test of the file
 * gets it. The last one goes with the server.
 */
export async function borrowDatabase(): Promise<{ url: string; giveBack: () => Promise<void> }> {
  const database = free.pop() ?? (await createDatabase());
  return {
    url: database.url,
    giveBack: async () => {
      await database.run(CUT_OFF);
      await database.empty();
      free.push(database);
    },
  };
}

async function runOn(
  url: string,
  sql: string,
  values?: unknown[],
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql, values);
    return rows;
  } finally {
    await client.end();
  }
}
