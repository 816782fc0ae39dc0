import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LedgerUnreachable } from '../../src/ledger/ledger-unreachable.ts';
import { type Ledger, openLedger } from '../../src/ledger/open.ts';
import { eventsAfter } from '../../src/ledger/queries/events-after.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { ok } from '../../src/lib/result.ts';
import { create, recordTask } from '../ledger/tasks.ts';
import { createDatabase, hasPostgres, type TestDatabase } from './database.ts';
import { startPostgres } from './server.ts';

const CUT_OFF = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

describe.skipIf(!hasPostgres())('the connection to Postgres', () => {
  let database: TestDatabase;
  let ledger: Ledger;
  beforeEach(async () => {
    database = await createDatabase();
    ledger = await openLedger(database.url, () => 1);
  });
  afterEach(async () => {
    await ledger.close();
    await database.drop();
  });

  test('a command whose connection is cut off fails plainly, and the next one works', async () => {
    const cut = ledger.write('test', async (tx) => {
      await recordTask(tx, 'a');
      await database.run(CUT_OFF);
      await recordTask(tx, 'b');
      return ok(null);
    });
    await expect(cut).rejects.toThrow(LedgerUnreachable);
    await create(ledger, 'c');
    expect(await verifyLedger(ledger.db)).toEqual({ events: 1, subjects: 1, problems: [] });
  });

  test('connections that die while nobody uses them are replaced', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => create(ledger, id)));
    await ledger.seal();
    await database.run(CUT_OFF);
    // The first to come may find a connection whose end has not reached us yet; the next may not.
    await create(ledger, 'e').catch(() => {});
    await Promise.all(['f', 'g', 'h', 'i'].map((id) => create(ledger, id)));
    expect((await verifyLedger(ledger.db)).problems).toEqual([]);
  });

  test('a reader that waits hears of changes again after its connection was cut off', async () => {
    const reader = await openLedger(database.url, () => 1);
    const late = AbortSignal.timeout(20_000);
    await create(ledger, 'a');
    await until(reader, 1, late);
    await database.run(CUT_OFF);
    const hearing = until(reader, 2, late);
    await create(ledger, 'b').catch(() => create(ledger, 'b'));
    expect(await hearing).toBe(2);
    await reader.close();
  });

  test('an address where nobody answers is named, without its password', async () => {
    const opening = openLedger('postgres://me:hunter2@127.0.0.1:1/none', () => 1);
    await expect(opening).rejects.toThrow(LedgerUnreachable);
    await expect(opening).rejects.toThrow(/^The ledger at postgres:\/\/127.0.0.1:1\/none does not/);
    await expect(opening).rejects.not.toThrow(/hunter2/);
  });

  test('a database that does not exist is named', async () => {
    const opening = openLedger(`${database.url}_gone`, () => 1);
    await expect(opening).rejects.toThrow(/database "\w+_gone" does not exist/);
  });

  test('two workspaces can share a database, each in a schema of its own', async () => {
    await database.run('create schema one; create schema two');
    const inSchema = (name: string): Promise<Ledger> =>
      openLedger(`${database.url}?options=-c%20search_path%3D${name}`, () => 1);
    const both = [await inSchema('one'), await inSchema('two')];
    for (const each of both) await create(each, 'same-id');
    for (const each of both) {
      expect(await verifyLedger(each.db)).toEqual({ events: 1, subjects: 1, problems: [] });
      await each.close();
    }
  });

  test('a ledger that outlives its server says so, and closes', async () => {
    const server = await startPostgres();
    if (server === null) throw new Error('There was a server a moment ago');
    const orphan = await openLedger(server.url('postgres'), () => 1);
    await create(orphan, 'a');
    const woken = orphan.changes.next(AbortSignal.timeout(100));
    await server.stop();
    await woken;
    await expect(create(orphan, 'b')).rejects.toThrow(LedgerUnreachable);
    await orphan.close();
  });
});

/** Follows the feed until it has that many events; says how many there are. */
async function until(reader: Ledger, count: number, late: AbortSignal): Promise<number> {
  for (;;) {
    const woken = reader.changes.next(late);
    // While the server cuts everybody off, a look may fail; the next wake looks again.
    const events = await eventsAfter(reader.db, 0, { limit: 10 }).catch(() => []);
    if (events.length >= count || late.aborted) return events.length;
    await woken;
  }
}
