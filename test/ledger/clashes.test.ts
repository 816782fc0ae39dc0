import { beforeEach, expect, test } from 'vitest';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import type { Ledger } from '../../src/ledger/open.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { err, ok } from '../../src/lib/result.ts';
import { onBothEngines } from './both-engines.ts';
import { create, recordTask } from './tasks.ts';

onBothEngines('a clash', (place) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await place.open();
  });

  test('of two that create the same task at once the second sees the first', async () => {
    const other = await place.open();
    const answers = await Promise.all([createOnce(ledger), createOnce(other)]);
    expect(new Set(answers)).toEqual(
      new Set([
        { ok: true, value: 'a' },
        { ok: false, error: 'taken' },
      ]),
    );
    expect(await verifyLedger(ledger.db)).toEqual({ events: 1, subjects: 1, problems: [] });
  });

  test('with a row that stays in the way is told after a second look, and nothing is kept', async () => {
    await ledger.db.insertInto('meta').values({ key: 'k', value: 'v' }).execute();
    let tries = 0;
    const failing = ledger.write('test', async (tx) => {
      tries += 1;
      await recordTask(tx, 'a');
      await tx.db.insertInto('meta').values({ key: 'k', value: 'w' }).execute();
      return ok(null);
    });
    await expect(failing).rejects.toThrow(/unique/i);
    expect(tries).toBe(place.engine === 'postgres' ? 2 : 1);
    expect(await taskAggregate.load(ledger.db, 'a')).toBeNull();
    await create(ledger, 'a');
    expect(await verifyLedger(ledger.db)).toMatchObject({ events: 1, problems: [] });
  });

  test('a command reads what it has itself recorded', async () => {
    await ledger.write('test', async (tx) => {
      await recordTask(tx, 'a');
      await tx.record(taskAggregate, 'a', [{ type: 'task-held', reason: 'wait' }]);
      const loaded = await tx.load(taskAggregate, 'a');
      const stored = await taskAggregate.load(tx.db, 'a');
      expect(loaded).toEqual(stored);
      expect(stored).toMatchObject({ version: 2, state: { status: 'blocked' } });
      return ok(null);
    });
  });
});

const createOnce = (by: Ledger): Promise<unknown> =>
  by.write('test', async (tx) => {
    if ((await tx.load(taskAggregate, 'a')) !== null) return err('taken');
    return ok((await recordTask(tx, 'a')).id);
  });
