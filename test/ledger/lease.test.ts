import { beforeEach, expect, test } from 'vitest';
import { dropLease, leaseHolder, takeLease } from '../../src/ledger/lease.ts';
import type { Ledger } from '../../src/ledger/open.ts';
import { onBothEngines } from './both-engines.ts';

const NAME = 'engine';
const LONG_MS = 60_000;

onBothEngines('the lease', (place) => {
  let ledger: Ledger;
  beforeEach(async () => {
    // The clock of this process is far off; only the database's counts.
    ledger = await place.open(() => 5);
  });
  const take = (holder: string, ttlMs: number, over?: string): ReturnType<typeof takeLease> =>
    takeLease(ledger.db, place.engine, { name: NAME, holder, ttlMs, over });

  test('one of many who want it at once gets it', async () => {
    const other = await place.open();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, each) =>
        takeLease((each % 2 === 0 ? ledger : other).db, place.engine, {
          name: NAME,
          holder: `h${each}`,
          ttlMs: LONG_MS,
        }),
      ),
    );
    const winners = answers.filter((answer) => answer !== null);
    expect(winners).toMatchObject([{ fence: 1 }]);
    expect(await leaseHolder(ledger.db, place.engine, NAME)).toEqual(winners[0]);
  });

  test('its holder renews it under the same fence', async () => {
    await take('a', LONG_MS);
    expect(await take('a', LONG_MS)).toMatchObject({ holder: 'a', fence: 1 });
    expect(await take('b', LONG_MS)).toBeNull();
  });

  test('a lapsed lease goes to the next, with a higher fence', async () => {
    await take('a', -1);
    expect(await leaseHolder(ledger.db, place.engine, NAME)).toBeNull();
    expect(await take('b', LONG_MS)).toMatchObject({ holder: 'b', fence: 2 });
    expect(await take('a', LONG_MS)).toBeNull();
  });

  test('the lease of a holder known to be dead is taken over at once', async () => {
    await take('dead', LONG_MS);
    expect(await take('b', LONG_MS, 'somebody else')).toBeNull();
    expect(await take('b', LONG_MS, 'dead')).toMatchObject({ holder: 'b', fence: 2 });
  });

  test('a lease that is given back is free at once, but only its holder can give it', async () => {
    await take('a', LONG_MS);
    await dropLease(ledger.db, NAME, 'b');
    expect(await leaseHolder(ledger.db, place.engine, NAME)).toMatchObject({ holder: 'a' });
    await dropLease(ledger.db, NAME, 'a');
    expect(await take('b', LONG_MS)).toMatchObject({ holder: 'b', fence: 2 });
  });
});
