import { approvalAggregate } from '../../ledger/aggregates/approval.ts';
import { runList } from '../../ledger/queries/runs.ts';
import { noticeLostRuns } from '../../ledger/runs.ts';
import { driveRun } from './drive-run.ts';
import { noticeMerged, type PullLooks } from './run-pulls.ts';
import type { ShipWorld } from './world.ts';

/** The runs of a workspace, carried out by whoever holds its engine. */
export type ShipPass = {
  /** Starts what can start and returns at once; nothing is ever due at a time of its own. */
  pass(): Promise<null>;
  /** Runs that are under way are interrupted and can be resumed. */
  stop(): Promise<void>;
};

export function shipPasses(world: ShipWorld, log: (line: string) => void): ShipPass {
  const under = new Map<string, Promise<void>>();
  const over = new AbortController();
  const looks: PullLooks = new Map();
  const drive = async (id: string): Promise<void> => {
    try {
      await driveRun(world, id, { wait: false, signal: over.signal });
    } catch (error) {
      log(`${id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    } finally {
      under.delete(id);
    }
  };
  return {
    pass: async () => {
      await noticeLostRuns(world.ledger, world.isGone);
      await noticeMerged(world, looks, Date.now());
      for (const id of await ready(world))
        if (!under.has(id) && !over.signal.aborted) under.set(id, drive(id));
      return null;
    },
    stop: async () => {
      over.abort();
      await Promise.all(under.values());
    },
  };
}

/** Runs that were asked for, and runs whose question has been answered. */
async function ready({ ledger }: ShipWorld): Promise<readonly string[]> {
  const waiting = await runList(ledger.db, {
    status: ['pending', 'awaiting_approval'],
    limit: 200,
  });
  const found: string[] = [];
  for (const { id, status, waiting: on } of waiting) {
    const approval = on === null ? null : await approvalAggregate.load(ledger.db, on.approval);
    if (status === 'pending' || approval?.state.status !== 'pending') found.push(id);
  }
  return found;
}
