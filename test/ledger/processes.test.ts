import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { eventsAfter } from '../../src/ledger/queries/events-after.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { onBothEngines } from './both-engines.ts';
import { create } from './tasks.ts';

onBothEngines('processes', (place) => {
  test('AC-64 four that open a ledger nobody opened before all write to it', async () => {
    const location = await place.blank();
    const ids = ['a', 'b', 'c', 'd'];
    const ends = await Promise.all(ids.map((id) => child(location, 'write', id)));
    expect(ends).toEqual(ids.map(() => ({ code: 0, said: '' })));
    const ledger = await openLedger(location, Date.now);
    await ledger.seal();
    expect(await verifyLedger(ledger.db)).toEqual({ events: 4, subjects: 4, problems: [] });
    await ledger.close();
  });

  test('what a process committed before it was killed is in the feed of the next reader', async () => {
    expect(await child(place.location(), 'die-after-commit', 'a')).toMatchObject({ code: null });
    const ledger = await place.open();
    await ledger.seal();
    expect(await eventsAfter(ledger.db, 0, { limit: 10 })).toMatchObject([
      { seq: 1, subject: 'task/a' },
    ]);
  });

  test('what a process committed before it was killed is sealed before the next command', async () => {
    await child(place.location(), 'die-after-commit', 'a');
    const ledger = await place.open();
    await create(ledger, 'b');
    await ledger.close();
    const reader = await place.open();
    expect(await eventsAfter(reader.db, 0, { limit: 10 })).toMatchObject([
      { seq: 1, subject: 'task/a' },
      { seq: 2, subject: 'task/b' },
    ]);
    expect(await verifyLedger(reader.db)).toEqual({ events: 2, subjects: 2, problems: [] });
  });

  test('a process that is killed before its commit leaves nothing and blocks nobody', async () => {
    await child(place.location(), 'die-before-commit', 'a');
    const ledger = await place.open();
    expect(await taskAggregate.load(ledger.db, 'a')).toBeNull();
    await create(ledger, 'a');
    await ledger.seal();
    expect(await eventsAfter(ledger.db, 0, { limit: 10 })).toHaveLength(1);
  });
});

type End = { code: number | null; said: string };

function child(...args: string[]): Promise<End> {
  const { promise, resolve, reject } = Promise.withResolvers<End>();
  const process_ = spawn(
    process.execPath,
    ['--no-warnings', join(import.meta.dirname, 'child.ts'), ...args],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  process_.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  process_.on('error', reject);
  process_.on('close', (code) => resolve({ code, said }));
  return promise;
}
