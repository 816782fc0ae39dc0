import { openChanges } from '../../ledger/queries/changes.ts';
import { forgetVerifications, healAfterCrash } from '../heal.ts';
import { type Loop, startLoop } from '../loop.ts';
import { type ReviewMemory, takeUpReviews } from '../review/run-reviewer.ts';
import type { World } from '../world.ts';
import { type SweepMemory, sweepPulls } from './pull-sweep.ts';
import { emptyMemory, type QueueMemory, runQueue, type Tell } from './queue-run.ts';
import type { Processor } from './watch-queues.ts';
import { withdrawUnwanted } from './withdraw.ts';

export type QueueProcessor = Processor &
  Loop & {
    /** Something happened on a forge: what was seen there before is old. */
    lookAgain(): void;
    /** Ends the gate runs under way. */
    cancelAll(): Promise<void>;
  };

/** One life of the loop: a later one takes over when this one hangs. */
type Life = {
  readonly queues: Map<string, QueueMemory>;
  readonly swept: SweepMemory;
  readonly loop: Loop;
};

/** The loop that moves all queues. It can be started again while a pass of it hangs. */
export function startProcessor(
  world: World,
  reviews: ReviewMemory,
  tell: Tell,
  everyMs: number,
): QueueProcessor {
  let healed = false;
  const begin = (): Life => {
    const queues = new Map<string, QueueMemory>();
    const swept: SweepMemory = new Map();
    const pass = async (): Promise<number | null> => {
      if (!healed) {
        await healAfterCrash(world);
        await takeUpReviews(world, reviews);
      }
      healed = true;
      const due = await runAll(world, queues, reviews, tell);
      await sweepPulls(world, swept);
      return due;
    };
    const loop = startLoop('merge', pass, {
      everyMs,
      timers: world.timers,
      log: (line) => world.log(line),
    });
    return { queues, swept, loop };
  };
  let life = begin();
  return {
    wake: () => life.loop.wake(),
    hurry: () => life.loop.hurry(),
    stop: () => life.loop.stop(),
    waiting: (queue) => life.queues.get(queue)?.unreviewed ?? new Set(),
    lookAgain: () => {
      for (const { pulls } of life.queues.values()) {
        pulls.looks.clear();
        pulls.news += 1;
      }
      life.swept.clear();
    },
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
  tell: Tell,
): Promise<number | null> {
  const open = await withdrawUnwanted(world, await openChanges(world.ledger.db));
  const places = new Map(open.map(({ repo, target }) => [`${repo}:${target}`, { repo, target }]));
  for (const [id, { repo, target }] of places) {
    const memory = queues.get(id) ?? emptyMemory(reviews);
    queues.set(id, memory);
    await runQueue(world, repo, target, memory, tell);
  }
  const waits = [...places.keys()].flatMap((id) => {
    const memory = queues.get(id);
    const all = [
      retryAtOf(memory) - world.timers.monotonic(),
      ...lookTimes(memory).map((at) => at - world.timers.monotonic()),
    ];
    // Put off in this very pass, and perhaps due by now.
    const putOff = memory?.putOffUntil ?? 0;
    const again = putOff > 0 ? [Math.max(0, putOff - world.timers.monotonic())] : [];
    return [...all.filter((wait) => wait > 0), ...again];
  });
  return waits.length === 0 ? null : Math.min(...waits);
}

async function cancelAll({ queues }: Life): Promise<void> {
  for (const { running, under } of queues.values()) {
    for (const { stop } of running.values()) stop.abort();
    await Promise.allSettled(under);
  }
}

const lookTimes = (memory: QueueMemory | undefined): number[] =>
  [...(memory?.pulls.looks.values() ?? [])].map(({ dueAt }) => dueAt);

const retryAtOf = (memory: QueueMemory | undefined): number =>
  memory === undefined ? 0 : Math.max(memory.landing.after, memory.push.retryAt);
