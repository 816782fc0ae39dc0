import { dirname } from 'node:path';
import type { Services } from '../api/context.ts';
import { startLoop } from '../engine/loop.ts';
import { shipPasses } from '../engine/ship/ship-loop.ts';
import type { Variables } from './services.ts';
import { sweepRehearsals } from './ship.ts';
import { shipWorld } from './ship-doors.ts';
import { realTimers } from './timers.ts';

const EVERY_MS = 5_000;
/** Most news in a ledger are not about runs, and come in bursts. */
const AFTER_MS = 25;

/** Carries out the runs of a workspace while its engine is held here. */
export async function startShipping(
  services: Services,
  env: Variables,
  launcher: readonly string[],
): Promise<{ stop: () => Promise<void> }> {
  const root = dirname(dirname(launcher[1] ?? ''));
  const world = await shipWorld(services, env, root, services.instance);
  await sweepRehearsals();
  const passes = shipPasses(world, log);
  const loop = startLoop('ship', () => passes.pass(), {
    everyMs: EVERY_MS,
    afterMs: AFTER_MS,
    timers: realTimers,
    log,
  });
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      await services.ledger.changes.next(over.signal);
      loop.wake();
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await watching;
      await loop.stop();
      await passes.stop();
    },
  };
}

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
