import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import type { LedgerEngine } from '../../src/ledger/engine.ts';
import { type Ledger, openLedger } from '../../src/ledger/open.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../postgres/database.ts';

export type Place = {
  readonly engine: LedgerEngine;
  /** Where the ledger of the running test is: a file or an address. */
  location(): string;
  /** Opens that ledger, as one more process would. Closed after the test. */
  open(now?: () => number): Promise<Ledger>;
  /** A place where no ledger was ever opened. */
  blank(): Promise<string>;
};

/** Runs the same tests on SQLite and on Postgres; each test begins with an empty ledger. */
export function onBothEngines(name: string, tests: (place: Place) => void): void {
  describe(`${name} on SQLite`, () => {
    tests(sqlitePlace());
  });
  describe.skipIf(!hasPostgres())(`${name} on Postgres`, () => {
    tests(postgresPlace());
  });
}

function sqlitePlace(): Place {
  let dir = '';
  let blanks = 0;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'convoy-ledger-'));
  });
  // Hooks that end a test run in reverse: the ledgers close before their directory goes.
  afterEach(() => rmSync(dir, { recursive: true }));
  const location = (): string => join(dir, 'ledger.db');
  return {
    engine: 'sqlite',
    location,
    open: opener(location),
    blank: async () => join(dir, `blank-${blanks++}.db`),
  };
}

export function postgresPlace(): Place {
  let database: TestDatabase;
  const blanks: TestDatabase[] = [];
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    for (const each of [database, ...blanks]) await each.drop();
  });
  beforeEach(() => database.empty());
  const location = (): string => database.url;
  return {
    engine: 'postgres',
    location,
    open: opener(location),
    blank: async () => {
      const blank = await createDatabase('none');
      blanks.push(blank);
      return blank.url;
    },
  };
}

function opener(location: () => string): Place['open'] {
  const opened: Ledger[] = [];
  let tick = 1000;
  afterEach(async () => {
    for (const ledger of opened.splice(0)) await ledger.close();
  });
  return async (now = () => tick++) => {
    const ledger = await openLedger(location(), now);
    opened.push(ledger);
    return ledger;
  };
}
