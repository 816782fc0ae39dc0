import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { borrowDatabase, hasPostgres } from './database.ts';

/** The engine that the running project tests on; without a Postgres server there is only one. */
export const onPostgres = (): boolean =>
  process.env['CONVOY_TEST_ENGINE'] === 'postgres' && hasPostgres();

/**
 * The address of a database of its own for the running test, or null where the project tests on
 * SQLite: then the ledger is the file that the workspace has anyway. Ask before anything opens it,
 * because what is registered first is cleaned up last.
 */
export async function databaseOfTest(): Promise<string | null> {
  if (!onPostgres()) return null;
  const { url, giveBack } = await borrowDatabase();
  onTestFinished(giveBack);
  return url;
}

/** The same as a place to open: that address, or the file in a directory. */
export const placeOfTest = async (dir: string): Promise<string> =>
  (await databaseOfTest()) ?? join(dir, 'ledger.db');

/** The same for the rest of a test file; it goes with the server. */
export const databaseOfFile = async (): Promise<string | null> =>
  onPostgres() ? (await borrowDatabase()).url : null;

/** What the environment of a workspace says about such an address. */
export const ledgerVariables = (url: string | null): { CONVOY_LEDGER?: string } =>
  url === null ? {} : { CONVOY_LEDGER: url };
