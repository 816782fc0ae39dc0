import { attemptWatchers } from './attempt-watchers.ts';
import { noCoordination } from './coordinate.ts';
import { dispatchPass } from './dispatch.ts';
import { type Loop, startLoop } from './loop.ts';
import { ageConflicts } from './merge/age-conflicts.ts';
import { startProcessor } from './merge/processor.ts';
import { type QueueWatch, watchQueues } from './merge/watch-queues.ts';
import { notifying } from './notify.ts';
import { startPublisher } from './remote/publisher.ts';
import { endReviewers, reviewMemory } from './review/run-reviewer.ts';
import { settlePass } from './settle.ts';
import { watchSpending } from './spending.ts';
import type { World } from './world.ts';

/** The loops of one workspace. Only the holder of the engine's lease runs them. */
export type Engine = {
  /**
   * Stops the loops. Agents go on and are taken up by the next engine; with `agents` they are stopped,
   * their work is kept and their tasks go back.
   */
  stop(how?: { readonly agents: boolean }): Promise<void>;
  /** Something happened on a forge: look now, and believe only what is seen. */
  lookAtForges(): void;
};

const SLOW_MS = 5000;
/** Whatever has landed is followed at once. */
const SETTLE_MS = 25;

export function startEngine(world: World): Engine {
  const stop = new AbortController();
  const loops: Loop[] = [];
  const wakeAll = (): void => {
    for (const loop of loops) loop.wake();
  };
  const spending = watchSpending(world, wakeAll);
  const attempts = attemptWatchers(world, stop.signal, spending, wakeAll);
  const reviews = reviewMemory(spending, stop.signal, wakeAll);
  const notify = notifying(world);
  const coordination = noCoordination();
  const log = (line: string): void => world.log(line);
  const pace = { everyMs: SLOW_MS, timers: world.timers, log };
  const alone = oneAtATime();
  const work = (): Promise<number | null> =>
    alone(async () => {
      await spending.pass();
      const { dueAt } = await dispatchPass(world, attempts.hurry, coordination);
      await attempts.superviseAll();
      await endReviewers(world, reviews);
      return dueAt === null ? null : dueAt - world.now();
    });
  // What a merge unblocked starts first; convoys follow their tasks afterwards.
  const settle = (): Promise<void> => alone(() => settlePass(world, reviews));
  const tell = { wake: wakeAll, landed: () => settling.hurry() };
  const queues = startProcessor(world, reviews, tell, SLOW_MS);
  const watch = watchQueues(world, queues);
  const publisher = startPublisher(world, SLOW_MS);
  const working = startLoop('work', work, pace);
  const settling = startLoop('settle', settle, { ...pace, afterMs: SETTLE_MS });
  loops.push(
    working,
    settling,
    queues,
    publisher,
    startLoop('notify', () => notify.pass(), pace),
  );
  // By the clock alone: what others do is no reason to look more often.
  const watchdog = startLoop('watchdog', () => lookRound(world, watch), pace);
  const listening = onChanges(world, wakeAll, stop.signal);
  return {
    lookAtForges: () => {
      queues.lookAgain();
      wakeAll();
    },
    stop: async (how) => {
      // The watchdog first: it may be about to start a loop again.
      await watchdog.stop();
      await Promise.all(loops.map((loop) => loop.stop()));
      if (how?.agents === true) await attempts.interrupt();
      stop.abort();
      spending.stop();
      await queues.cancelAll();
      await Promise.all(reviews.running.values());
      await listening;
      await attempts.settled();
      await publisher.finish().catch((error: unknown) => log(`branches: ${String(error)}`));
      await notify.finish().catch((error: unknown) => log(`notify: ${String(error)}`));
    },
  };
}

/** Until the signal is aborted. */
async function onChanges(world: World, wake: () => void, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await world.ledger.changes.next(stop);
    wake();
  }
}

/** What goes by time and not by events: conflicts that grow old, queues that do not move. */
async function lookRound(world: World, queues: QueueWatch): Promise<number | null> {
  const settings = world.settings.read();
  if (!settings.ok) return null;
  const due = [
    await ageConflicts(world, settings.value.workspace.conflictLimitMs),
    await queues.pass(settings.value),
  ].flatMap((ms) => ms ?? []);
  return due.length === 0 ? null : Math.min(...due);
}

/** Passes that must not see each other's half-done work take turns. */
function oneAtATime(): <T>(pass: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (pass) => {
    const mine = last.then(pass);
    last = mine.catch(() => {});
    return mine;
  };
}
