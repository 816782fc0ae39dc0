import { openChanges } from '../../ledger/queries/changes.ts';
import { forgetVerifications, healAfterCrash } from '../heal.ts';
import { type Loop, startLoop } from '../loop.ts';
import type { ReviewMemory } from '../review/run-reviewer.ts';
import type { World } from '../world.ts';
import { emptyMemory, type QueueMemory, runQueue } from './queue-run.ts';
import type { Processor } from './watch-queues.ts';
import { withdrawUnwanted } from './withdraw.ts';

export type QueueProcessor = Processor &
  Loop & {
    /** Ends the gate runs under way. */
    cancelAll(): Promise<void>;
  };

/** One life of the loop: a later one takes over when this one hangs. */
type Life = { readonly queues: Map<string, QueueMemory>; readonly loop: Loop };

/** The loop that moves all queues. It can be started again while a pass of it hangs. */
export function startProcessor(
  world: World,
  reviews: ReviewMemory,
  wake: () => void,
  everyMs: number,
): QueueProcessor {
  let healed = false;
  const begin = (): Life => {
    const queues = new Map<string, QueueMemory>();
    const pass = async (): Promise<number | null> => {
      if (!healed) await healAfterCrash(world);
      healed = true;
      return runAll(world, queues, reviews, wake);
    };
    return { queues, loop: startLoop('merge', pass, { everyMs, log: (line) => world.log(line) }) };
  };
  let life = begin();
  return {
    wake: () => life.loop.wake(),
    stop: () => life.loop.stop(),
    waiting: (queue) => life.queues.get(queue)?.unreviewed ?? new Set(),
    cancelAll: () => cancelAll(life),
    async restart() {
      const hung = life;
      // Whatever the hung pass still does later, it records nothing any more.
      for (const memory of hung.queues.values()) memory.retired = true;
      for (const { running } of hung.queues.values())
        for (const { stop } of running.values()) stop.abort();
      void hung.loop.stop();
      await forgetVerifications(world);
      life = begin();
    },
  };
}

async function runAll(
  world: World,
  queues: Map<string, QueueMemory>,
  reviews: ReviewMemory,
  wake: () => void,
): Promise<number | null> {
  const open = await withdrawUnwanted(world, await openChanges(world.ledger.db));
  const places = new Map(open.map(({ repo, target }) => [`${repo}:${target}`, { repo, target }]));
  for (const [id, { repo, target }] of places) {
    const memory = queues.get(id) ?? emptyMemory(reviews);
    queues.set(id, memory);
    await runQueue(world, repo, target, memory, wake);
  }
  const waits = [...places.keys()].flatMap((id) => {
    const wait = retryAtOf(queues.get(id)) - world.now();
    return wait > 0 ? [wait] : [];
  });
  return waits.length === 0 ? null : Math.min(...waits);
}

async function cancelAll({ queues }: Life): Promise<void> {
  for (const { running, under } of queues.values()) {
    for (const { stop } of running.values()) stop.abort();
    await Promise.allSettled(under);
  }
}

const retryAtOf = (memory: QueueMemory | undefined): number =>
  memory === undefined ? 0 : Math.max(memory.landing.after, memory.push.retryAt);
