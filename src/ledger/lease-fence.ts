import type { LedgerEngine } from './engine.ts';
import type { Lease } from './lease.ts';
import type { Ledger } from './open.ts';
import { prepared } from './prepared.ts';
import type { Tx } from './transaction.ts';

/** The lease went to somebody else, and with it the right to write. */
export class LeaseLost extends Error {
  constructor({ name, holder, fence }: Lease, now: number | null) {
    super(
      `${holder} held the lease ${name} as number ${fence}; it is number ${now ?? 'unknown'} now`,
    );
  }
}

/**
 * A ledger that writes only while nobody newer holds the lease. That is asked inside each
 * transaction, so a process that slept through the loss of its lease cannot write when it wakes.
 * `onLost` hears of the first refusal.
 */
export function fencedBy(ledger: Ledger, lease: Lease, onLost: () => void): Ledger {
  let isLost = false;
  return {
    ...ledger,
    async write(actor, work) {
      try {
        return await ledger.write(actor, async (tx) => {
          await checkFence(tx, ledger.engine, lease);
          return work(tx);
        });
      } catch (error) {
        if (error instanceof LeaseLost && !isLost) {
          isLost = true;
          onLost();
        }
        throw error;
      }
    },
  };
}

async function checkFence({ db }: Tx, engine: LedgerEngine, lease: Lease): Promise<void> {
  const ask = engine === 'postgres' ? sharedFence : fenceNow;
  const [row] = await ask(db, { name: lease.name });
  if (row?.fence !== lease.fence) throw new LeaseLost(lease, row?.fence ?? null);
}

const fenceNow = prepared(['name'], (db, { name }: { name: string }) =>
  db.selectFrom('lease').select('fence').where('name', '=', name),
);

/** Whoever takes the lease waits for the transactions that were allowed under the old number. */
const sharedFence = prepared(['name'], (db, { name }: { name: string }) =>
  db.selectFrom('lease').select('fence').where('name', '=', name).forShare(),
);
