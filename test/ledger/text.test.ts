import { beforeEach, expect, test } from 'vitest';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import type { Ledger } from '../../src/ledger/open.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { onBothEngines } from './both-engines.ts';
import { change, create } from './tasks.ts';

onBothEngines('text', (place) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await place.open();
  });

  test.each(['naïve 日本 🚚', `it's "quoted" \\ and $1 ? :x`, 'line\nline\ttab\r', ' '])(
    'a title comes back as it was: %j',
    async (title) => {
      await create(ledger, 'a', { title });
      const row = await ledger.db.selectFrom('task').select('title').executeTakeFirst();
      expect(row?.title).toBe(title);
      expect((await taskAggregate.load(ledger.db, 'a'))?.state.title).toBe(title);
      expect(await verifyLedger(ledger.db)).toMatchObject({ problems: [] });
    },
  );

  test('a NUL in what only JSON holds is kept', async () => {
    await create(ledger, 'a');
    await change(ledger, 'a', { type: 'task-held', reason: 'agent said \u0000' });
    expect(await verifyLedger(ledger.db)).toMatchObject({ events: 2, problems: [] });
  });

  test('a NUL in a column is refused and leaves nothing', async () => {
    await expect(create(ledger, 'a', { title: 'zero \u0000' })).rejects.toThrow(/NUL|0x00/);
    expect(await taskAggregate.load(ledger.db, 'a')).toBeNull();
    expect(await verifyLedger(ledger.db)).toEqual({ events: 0, subjects: 0, problems: [] });
    await create(ledger, 'a');
    expect(await verifyLedger(ledger.db)).toMatchObject({ events: 1, problems: [] });
  });
});
