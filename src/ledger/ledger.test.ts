import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newTask } from '../domain/work/new-task.ts';
import { repoName, taskId } from '../domain/work/ids.ts';
import { err, ok } from '../lib/result.ts';
import { taskAggregate } from './aggregates/task.ts';
import { type Ledger, openLedger } from './open.ts';
import { eventsAfter } from './queries/events-after.ts';
import { verifyLedger } from './verify.ts';

let dir: string;
let ledger: Ledger;
let now = 1000;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'convoy-ledger-'));
  ledger = await openLedger(join(dir, 'ledger.db'), () => now++);
});
afterEach(async () => {
  await ledger.close();
  rmSync(dir, { recursive: true });
});

const create = (id: string): Promise<unknown> =>
  ledger.write('test', async (tx) => {
    const task = newTask(
      taskId(id),
      { title: `Task ${id}`, repo: repoName('main') },
      'test',
      tx.at,
    );
    return ok(await tx.record(taskAggregate, id, [{ type: 'task-created', task }]));
  });

test('an event, its place and the row it gives are there after the write', async () => {
  await create('web-1');
  const stored = await taskAggregate.load(ledger.db, 'web-1');
  expect(stored).toMatchObject({ version: 1, state: { title: 'Task web-1', status: 'open' } });
  const events = await eventsAfter(ledger.db, 0, { limit: 10 });
  expect(events).toMatchObject([
    { seq: 1, subject: 'task/web-1', kind: 'task-created', actor: 'test' },
  ]);
});

test('a refused command leaves no trace', async () => {
  const refused = await ledger.write('test', async (tx) => {
    const task = newTask(taskId('web-1'), { title: 'Never', repo: null }, 'test', tx.at);
    await tx.record(taskAggregate, 'web-1', [{ type: 'task-created', task }]);
    return err('no');
  });
  expect(refused).toEqual({ ok: false, error: 'no' });
  expect(await eventsAfter(ledger.db, 0, { limit: 10 })).toEqual([]);
  expect(await taskAggregate.load(ledger.db, 'web-1')).toBeNull();
});

test('a thrown bug leaves no trace and the ledger goes on', async () => {
  await expect(
    ledger.write('test', async (tx) => {
      const task = newTask(taskId('web-1'), { title: 'Never', repo: null }, 'test', tx.at);
      await tx.record(taskAggregate, 'web-1', [{ type: 'task-created', task }]);
      throw new Error('bug');
    }),
  ).rejects.toThrow('bug');
  await create('web-2');
  expect(await eventsAfter(ledger.db, 0, { limit: 10 })).toMatchObject([{ seq: 1 }]);
});

test('verify finds nothing wrong with what was written', async () => {
  for (const id of ['a', 'b', 'c']) await create(id);
  await ledger.write('test', async (tx) =>
    ok(
      await tx.record(taskAggregate, 'c', [
        { type: 'dependency-added', dependency: { on: taskId('a'), kind: 'blocks' } },
        { type: 'task-closed', outcome: 'done by hand' },
      ]),
    ),
  );
  expect(await verifyLedger(ledger.db)).toEqual({ events: 5, subjects: 3, problems: [] });
});

test('AC-90 changing one event breaks the chain where it was changed', async () => {
  for (const id of ['a', 'b', 'c']) await create(id);
  await sql`update event set actor = 'mallory' where seq = 2`.execute(ledger.db);
  const { problems } = await verifyLedger(ledger.db);
  expect(problems).toMatchObject([{ kind: 'broken-chain', seq: 2, subject: 'task/b' }]);
});

test('taking an event out shows as a gap', async () => {
  for (const id of ['a', 'b', 'c']) await create(id);
  await sql`delete from event where seq = 2`.execute(ledger.db);
  const kinds = (await verifyLedger(ledger.db)).problems.map(({ kind }) => kind);
  expect(kinds).toEqual(['gap', 'broken-chain', 'row-unexplained']);
});

test('a row or an edge that no event explains is reported', async () => {
  await create('a');
  await sql`update task set status = 'merged' where id = 'a'`.execute(ledger.db);
  await sql`insert into dependency (task, on_task, kind) values ('a', 'z', 'blocks')`.execute(
    ledger.db,
  );
  const kinds = (await verifyLedger(ledger.db)).problems.map(({ kind }) => kind);
  expect(kinds).toEqual(['row-differs', 'row-unexplained']);
});

test('AC-64 two processes that open a new ledger at once both succeed', async () => {
  const file = join(dir, 'fresh.db');
  const both = await Promise.all([openLedger(file, () => 1), openLedger(file, () => 1)]);
  for (const each of both) await each.close();
  expect(both).toHaveLength(2);
});

test('a waiter wakes when another connection commits, and reads what it committed', async () => {
  const other = await openLedger(join(dir, 'ledger.db'), () => now++);
  const change = other.changes.next(AbortSignal.timeout(10_000));
  await create('web-9');
  await change;
  expect(await taskAggregate.load(other.db, 'web-9')).not.toBeNull();
  await other.close();
});
