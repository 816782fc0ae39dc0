import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { ok } from '../../src/lib/result.ts';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import { type Lease, takeLease } from '../../src/ledger/lease.ts';
import { fencedBy, LeaseLost } from '../../src/ledger/lease-fence.ts';
import type { Ledger } from '../../src/ledger/open.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { onBothEngines } from './both-engines.ts';
import { recordTask } from './tasks.ts';

const LAPSED = -1;
const LONG_MS = 60_000;

const write = (ledger: Ledger, id: string): Promise<unknown> =>
  ledger.write('engine', async (tx) => {
    await recordTask(tx, id);
    return ok(null);
  });

onBothEngines('the fence', (place) => {
  const take = async (ledger: Ledger, holder: string, ttlMs: number): Promise<Lease> => {
    const lease = await takeLease(ledger.db, place.engine, { name: 'engine', holder, ttlMs });
    if (lease === null) throw new Error(`${holder} did not get the lease`);
    return lease;
  };
  test('a lapsed lease that nobody took still writes; after a newer holder nothing is written', async () => {
    const ledger = await place.open();
    let lost = 0;
    const old = fencedBy(ledger, await take(ledger, 'a', LAPSED), () => (lost += 1));
    await write(old, 'first');
    const newer = fencedBy(ledger, await take(ledger, 'b', LONG_MS), () => {});
    await expect(write(old, 'late')).rejects.toThrow(LeaseLost);
    await expect(write(old, 'later')).rejects.toThrow('held the lease engine as number 1');
    expect(lost).toBe(1);
    await write(newer, 'second');
    await ledger.seal();
    expect(await verifyLedger(ledger.db)).toEqual({ events: 2, subjects: 2, problems: [] });
  });

  test('a lease that came back to its old holder is another lease', async () => {
    const ledger = await place.open();
    const old = fencedBy(ledger, await take(ledger, 'a', LAPSED), () => {});
    await take(ledger, 'b', LAPSED);
    await take(ledger, 'a', LONG_MS);
    await expect(write(old, 'late')).rejects.toThrow(LeaseLost);
  });

  test('whoever takes the lease waits for the write that was allowed before', async () => {
    const ledger = await place.open();
    const rival = await place.open();
    const lease = await take(ledger, 'a', LAPSED);
    const [inside, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writing = fencedBy(ledger, lease, () => {}).write('engine', async (tx) => {
      await recordTask(tx, 'first');
      inside.resolve();
      await goOn.promise;
      return ok(null);
    });
    await inside.promise;
    const seen = take(rival, 'b', LONG_MS).then(() => taskAggregate.load(rival.db, 'first'));
    goOn.resolve();
    expect(await seen).not.toBeNull();
    await writing;
  });

  test('a process that was stopped and comes back after its lease was taken writes nothing', async () => {
    const ledger = await place.open(Date.now);
    const child = spawn(
      process.execPath,
      ['--no-warnings', join(import.meta.dirname, 'fence-child.ts'), place.location()],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const said = async (): Promise<string> => String((await lines.next()).value);
    expect(await said()).toBe('holds 1');
    child.stdin.write('before\n');
    expect(await said()).toBe('wrote before');
    child.kill('SIGSTOP');
    await take(ledger, 'successor', LONG_MS);
    child.stdin.write('late\n');
    child.kill('SIGCONT');
    expect(await said()).toBe('lost');
    expect(await said()).toBe('child held the lease engine as number 1; it is number 2 now');
    child.stdin.end();
    await once(child, 'exit');
    expect(await taskAggregate.load(ledger.db, 'late')).toBeNull();
    expect(await taskAggregate.load(ledger.db, 'before')).not.toBeNull();
  });
});
