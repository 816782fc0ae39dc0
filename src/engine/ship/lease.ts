import { dropLease, leaseHolder, takeLease } from '../../ledger/lease.ts';
import { runLease } from '../../ledger/runs.ts';
import type { ShipWorld } from './world.ts';

const LEASE_MS = 10_000;
const RENEW_MS = 2_000;

export type Hold = {
  /** Aborted when the lease was lost to somebody else. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
};

/** Takes a run for this process alone; null when another living process has it. */
export async function holdRun(world: ShipWorld, id: string): Promise<Hold | null> {
  const { db, engine } = world.ledger;
  const name = runLease(id);
  const take = async (): Promise<boolean> => {
    const current = await leaseHolder(db, engine, name);
    const over = current !== null && world.isGone(current.holder) ? current.holder : undefined;
    const wish = { name, holder: world.holder, ttlMs: LEASE_MS, over };
    return (await takeLease(db, engine, wish)) !== null;
  };
  if (!(await take())) return null;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    // Not being able to ask is not losing: the lease itself decides at the next try.
    world.ledger.changes.quietly(take).then(
      (held) => (held ? undefined : lost.abort()),
      () => {},
    );
  }, RENEW_MS);
  return {
    lost: lost.signal,
    release: async () => {
      clearInterval(renewal);
      await dropLease(db, name, world.holder);
    },
  };
}
