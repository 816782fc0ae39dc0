import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { taskId } from '../../src/domain/work/ids.ts';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import { type Ledger, openLedger } from '../../src/ledger/open.ts';
import { eventsAfter } from '../../src/ledger/queries/events-after.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { err } from '../../src/lib/result.ts';
import { onBothEngines } from './both-engines.ts';
import { change, create, recordTask } from './tasks.ts';

onBothEngines('the ledger', (place) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await place.open();
  });

  test('an event, its place and the row it gives are there after the write', async () => {
    await create(ledger, 'web-1');
    const stored = await taskAggregate.load(ledger.db, 'web-1');
    expect(stored).toMatchObject({ version: 1, state: { title: 'Task web-1', status: 'open' } });
    await ledger.seal();
    const events = await eventsAfter(ledger.db, 0, { limit: 10 });
    expect(events).toMatchObject([
      { seq: 1, subject: 'task/web-1', kind: 'task-created', actor: 'test' },
    ]);
  });

  test('a refused command leaves no trace', async () => {
    const refused = await ledger.write('test', async (tx) => {
      await recordTask(tx, 'web-1');
      return err('no');
    });
    expect(refused).toEqual({ ok: false, error: 'no' });
    expect(await eventsAfter(ledger.db, 0, { limit: 10 })).toEqual([]);
    expect(await taskAggregate.load(ledger.db, 'web-1')).toBeNull();
  });

  test('a thrown bug leaves no trace and the ledger goes on', async () => {
    await expect(
      ledger.write('test', async (tx) => {
        await recordTask(tx, 'web-1');
        throw new Error('bug');
      }),
    ).rejects.toThrow('bug');
    await create(ledger, 'web-2');
    await ledger.seal();
    expect(await eventsAfter(ledger.db, 0, { limit: 10 })).toMatchObject([{ seq: 1 }]);
  });

  test('verify finds nothing wrong with what was written', async () => {
    for (const id of ['a', 'b', 'c']) await create(ledger, id);
    await change(
      ledger,
      'c',
      { type: 'dependency-added', dependency: { on: taskId('a'), kind: 'blocks' } },
      { type: 'task-closed', outcome: 'done by hand' },
    );
    await ledger.seal();
    expect(await verifyLedger(ledger.db)).toEqual({ events: 5, subjects: 3, problems: [] });
  });

  test('AC-90 changing one event breaks the chain where it was changed', async () => {
    for (const id of ['a', 'b', 'c']) await create(ledger, id);
    await ledger.seal();
    await sql`update event set actor = 'mallory' where seq = 2`.execute(ledger.db);
    const { problems } = await verifyLedger(ledger.db);
    expect(problems).toMatchObject([{ kind: 'broken-chain', seq: 2, subject: 'task/b' }]);
  });

  test('taking an event out shows as a gap', async () => {
    for (const id of ['a', 'b', 'c']) await create(ledger, id);
    await ledger.seal();
    await sql`delete from event where seq = 2`.execute(ledger.db);
    const kinds = (await verifyLedger(ledger.db)).problems.map(({ kind }) => kind);
    expect(kinds).toEqual(['gap', 'broken-chain', 'row-unexplained']);
  });

  test('a row or an edge that no event explains is reported', async () => {
    await create(ledger, 'a');
    await sql`update task set status = 'merged' where id = 'a'`.execute(ledger.db);
    await sql`insert into dependency (task, on_task, kind) values ('a', 'z', 'blocks')`.execute(
      ledger.db,
    );
    const kinds = (await verifyLedger(ledger.db)).problems.map(({ kind }) => kind);
    expect(kinds).toEqual(['row-differs', 'row-unexplained']);
  });

  test('AC-64 two that open a new ledger at once both succeed', async () => {
    const location = await place.blank();
    const both = await Promise.all([openLedger(location, () => 1), openLedger(location, () => 1)]);
    for (const each of both) await create(each, `web-${both.indexOf(each)}`);
    await both[0].seal();
    expect(await verifyLedger(both[0].db)).toMatchObject({ subjects: 2, problems: [] });
    for (const each of both) await each.close();
  });

  test('a waiter wakes when another connection commits, and finds the event', async () => {
    const other = await place.open();
    const late = AbortSignal.timeout(10_000);
    const seen = (async () => {
      for (;;) {
        const woken = other.changes.next(late);
        const events = await eventsAfter(other.db, 0, { limit: 10 });
        if (events.length > 0 || late.aborted) return events;
        await woken;
      }
    })();
    await create(ledger, 'web-9');
    expect(await seen).toMatchObject([{ subject: 'task/web-9' }]);
    expect(await taskAggregate.load(other.db, 'web-9')).not.toBeNull();
  });

  test('a ledger of a newer Convoy is left alone', async () => {
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', 'now')`.execute(
      ledger.db,
    );
    await expect(place.open()).rejects.toThrow(/newer Convoy \(9999-later/);
    await sql`delete from kysely_migration where name = '9999-later'`.execute(ledger.db);
  });

  test('verify sees one state of the ledger while commands go on', async () => {
    const over = new AbortController();
    const writing = (async () => {
      for (let each = 0; !over.signal.aborted; each++) await create(ledger, `w-${each}`);
    })();
    const other = await place.open();
    for (let round = 0; round < 5; round++)
      expect(await verifyLedger(other.db)).toMatchObject({ problems: [] });
    over.abort();
    await writing;
  });
});
