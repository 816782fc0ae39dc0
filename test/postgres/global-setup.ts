import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { openLedger } from '../../src/ledger/open.ts';
import { startPostgres } from './server.ts';

/** A database with every migration applied, which each test file gets a copy of. */
export const TEMPLATE = 'convoy_template';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of the run's server without a database; null when the machine has none. */
    postgres: string | null;
  }
}

/** One Postgres server for the whole run. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const server = await startPostgres();
  if (server === null) {
    project.provide('postgres', null);
    if (process.env['CONVOY_TEST_POSTGRES'] === 'required')
      throw new Error('No Postgres server on this machine, and the tests were told to need one');
    process.stderr.write('No Postgres server found: nothing is tested on Postgres.\n');
    return undefined;
  }
  const admin = new Client({ connectionString: server.url('postgres') });
  await admin.connect();
  await admin.query(`create database ${TEMPLATE}`);
  await admin.end();
  const ledger = await openLedger(server.url(TEMPLATE), () => 0);
  await ledger.close();
  project.provide('postgres', server.url(''));
  return () => server.stop();
}
