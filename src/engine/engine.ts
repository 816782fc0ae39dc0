import type { Attempt } from '../domain/work/attempt.ts';
import { liveAttempts } from '../ledger/queries/attempts.ts';
import { openChanges } from '../ledger/queries/changes.ts';
import { watchAttempt } from './attempt-watch.ts';
import { dispatchPass } from './dispatch.ts';
import { type Loop, startLoop } from './loop.ts';
import { type QueueMemory, runQueue } from './merge/queue-run.ts';
import type { ReviewMemory } from './review/run-reviewer.ts';
import { settlePass } from './settle.ts';
import type { World } from './world.ts';

/** The loops of one workspace. Only the holder of the engine's lease runs them. */
export type Engine = {
  /** Stops the loops; agents go on and are taken up by the next engine. */
  stop(): Promise<void>;
};

const SLOW_MS = 5000;

export function startEngine(world: World): Engine {
  const stop = new AbortController();
  const loops: Loop[] = [];
  const wakeAll = (): void => {
    for (const loop of loops) loop.wake();
  };
  const attempts = attemptWatchers(world, stop.signal, wakeAll);
  const reviews: ReviewMemory = { running: new Set(), stop: stop.signal };
  const queues = queueRunners(world, reviews, wakeAll);
  const log = (line: string): void => world.log(line);
  const work = async (): Promise<void> => {
    await settlePass(world, reviews);
    await dispatchPass(world);
    await attempts.superviseAll();
  };
  loops.push(
    startLoop('work', work, { everyMs: SLOW_MS, log }),
    startLoop('merge', queues.runAll, { everyMs: SLOW_MS, log }),
  );
  const listening = (async () => {
    while (!stop.signal.aborted) {
      await world.ledger.changes.next(stop.signal);
      wakeAll();
    }
  })();
  return {
    stop: async () => {
      stop.abort();
      await Promise.all(loops.map((loop) => loop.stop()));
      queues.cancelAll();
      await listening;
      await attempts.settled();
    },
  };
}

/** Every live attempt has somebody who follows it, also those of an engine that is gone. */
function attemptWatchers(
  world: World,
  stop: AbortSignal,
  wake: () => void,
): { superviseAll: () => Promise<void>; settled: () => Promise<unknown> } {
  const watched = new Map<string, Promise<void>>();
  const watch = async (attempt: Attempt): Promise<void> => {
    try {
      await watchAttempt(world, attempt, stop);
    } catch (error) {
      world.log(`${attempt.id}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
    } finally {
      watched.delete(attempt.id);
      wake();
    }
  };
  return {
    superviseAll: async () => {
      for (const attempt of await liveAttempts(world.ledger.db))
        if (!watched.has(attempt.id)) watched.set(attempt.id, watch(attempt));
    },
    settled: () => Promise.allSettled(watched.values()),
  };
}

function queueRunners(
  world: World,
  reviews: ReviewMemory,
  wake: () => void,
): { runAll: () => Promise<void>; cancelAll: () => void } {
  const queues = new Map<string, QueueMemory>();
  return {
    runAll: async () => {
      const open = await openChanges(world.ledger.db);
      const places = new Map(
        open.map(({ repo, target }) => [`${repo}:${target}`, { repo, target }]),
      );
      for (const [id, { repo, target }] of places) {
        const memory = queues.get(id) ?? emptyMemory(reviews);
        queues.set(id, memory);
        await runQueue(world, repo, target, memory, wake);
      }
    },
    cancelAll: () => {
      for (const { running } of queues.values())
        for (const { stop } of running.values()) stop.abort();
    },
  };
}

const emptyMemory = (reviews: ReviewMemory): QueueMemory => ({
  reviews,
  running: new Map(),
  stacks: new Map(),
  overtaken: new Map(),
  base: null,
  synced: { kind: 'ready', upstream: null },
  syncedAt: 0,
  push: { failures: 0, retryAt: 0 },
});
