import type { Attempt } from '../domain/work/attempt.ts';
import { liveAttempts } from '../ledger/queries/attempts.ts';
import { convoysById } from '../ledger/queries/convoy-list.ts';
import { type Ending, watchAttempt } from './attempt-watch.ts';
import { noCoordination } from './coordinate.ts';
import { dispatchPass } from './dispatch.ts';
import { type Loop, startLoop } from './loop.ts';
import { ageConflicts } from './merge/age-conflicts.ts';
import { startProcessor } from './merge/processor.ts';
import { type QueueWatch, watchQueues } from './merge/watch-queues.ts';
import { notifying } from './notify.ts';
import { startPublisher } from './remote/publisher.ts';
import type { ReviewMemory } from './review/run-reviewer.ts';
import { settlePass } from './settle.ts';
import { type SpendingWatch, watchSpending } from './spending.ts';
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
const SETTLE_MS = 20;

export function startEngine(world: World): Engine {
  const stop = new AbortController();
  const loops: Loop[] = [];
  const wakeAll = (): void => {
    for (const loop of loops) loop.wake();
  };
  const spending = watchSpending(world, wakeAll);
  const attempts = attemptWatchers(world, stop.signal, spending, wakeAll);
  const reviews: ReviewMemory = { running: new Map(), stop: stop.signal, wake: wakeAll };
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
      return dueAt === null ? null : dueAt - world.now();
    });
  // What a merge unblocked starts first; convoys follow their tasks afterwards.
  const settle = (): Promise<void> => alone(() => settlePass(world, reviews));
  const queues = startProcessor(world, reviews, wakeAll, SLOW_MS);
  const watch = watchQueues(world, queues);
  const publisher = startPublisher(world, SLOW_MS);
  loops.push(
    startLoop('work', work, pace),
    startLoop('settle', settle, { ...pace, afterMs: SETTLE_MS }),
    queues,
    publisher,
    startLoop('notify', () => notify.pass(), pace),
  );
  // By the clock alone: what others do is no reason to look more often.
  const watchdog = startLoop('watchdog', () => lookRound(world, watch), pace);
  const listening = (async () => {
    while (!stop.signal.aborted) {
      await world.ledger.changes.next(stop.signal);
      wakeAll();
    }
  })();
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

/** Every live attempt has somebody who follows it, also those of an engine that is gone. */
function attemptWatchers(
  world: World,
  stop: AbortSignal,
  spending: SpendingWatch,
  wake: () => void,
): {
  superviseAll: () => Promise<void>;
  /** The same in the middle of a pass, whose end does it again and sees what goes wrong. */
  hurry: () => void;
  interrupt: () => Promise<unknown>;
  settled: () => Promise<unknown>;
} {
  const watched = new Map<string, Promise<void>>();
  const asks = new Map<string, (ending: Ending) => void>();
  const watch = async (attempt: Attempt): Promise<void> => {
    const asked = Promise.withResolvers<Ending>();
    asks.set(attempt.id, asked.resolve);
    try {
      await watchAttempt(world, attempt, stop, asked.promise, (cost) =>
        spending.heard(attempt.id, cost),
      );
      wake();
    } catch (error) {
      // Taken up again by the next pass, which nobody hurries: it would fail as fast again.
      world.log(`${attempt.id}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
    } finally {
      watched.delete(attempt.id);
      asks.delete(attempt.id);
      spending.forget(attempt.id);
    }
  };
  let hurried: Promise<unknown> = Promise.resolve();
  const supervise = async (): Promise<void> => {
    const live = await liveAttempts(world.ledger.db);
    for (const attempt of live)
      if (!watched.has(attempt.id)) watched.set(attempt.id, watch(attempt));
    for (const { id, saidDone } of live)
      if (saidDone !== null) asks.get(id)?.({ kind: 'said-done' });
    for (const [id, reason] of await givenUp(world, live))
      asks.get(id)?.({ kind: 'asked', reason });
    for (const [id, spent] of await overBudget(world, live))
      asks.get(id)?.({ kind: 'over-budget', spent });
  };
  return {
    superviseAll: async () => {
      await hurried;
      await supervise();
    },
    hurry: () => {
      hurried = supervise().catch(() => {});
    },
    interrupt: () => {
      for (const ask of asks.values()) ask({ kind: 'interrupted' });
      return Promise.allSettled(watched.values());
    },
    settled: () => Promise.allSettled(watched.values()),
  };
}

/** Attempts whose convoy has nothing left to spend, with what it spent. */
async function overBudget(world: World, live: readonly Attempt[]): Promise<Map<string, string>> {
  if (live.length === 0) return new Map();
  const convoys = await convoysById(world.ledger.db, [
    ...new Set(live.map(({ convoy }) => convoy)),
  ]);
  const spent = new Map(
    convoys.flatMap(({ id, spending }) =>
      spending?.stops === true ? [[id as string, spending.words] as const] : [],
    ),
  );
  return new Map(
    live.flatMap(({ id, convoy }) => {
      const words = spent.get(convoy);
      return words === undefined ? [] : [[id, words] as const];
    }),
  );
}

/** Attempts whose task somebody took away from them, with the reason. */
async function givenUp(world: World, live: readonly Attempt[]): Promise<Map<string, string>> {
  if (live.length === 0) return new Map();
  const rows = await world.ledger.db
    .selectFrom('task')
    .select(['id', 'status'])
    .where(
      'id',
      'in',
      live.map(({ task }) => task),
    )
    .execute();
  const states = new Map(rows.map(({ id, status }) => [id, status]));
  return new Map(
    live.flatMap(({ id, task }) => {
      const status = states.get(task) ?? 'gone';
      return status === 'in_progress' ? [] : [[id, `the task is ${status}`] as const];
    }),
  );
}
