import type { Attempt } from '../domain/work/attempt.ts';
import { liveAttempts } from '../ledger/queries/attempts.ts';
import { watchAsking } from './asking.ts';
import { type Ending, watchAttempt } from './attempt-watch.ts';
import { type SpendingWatch, spentConvoys } from './spending.ts';
import type { World } from './world.ts';

/** Every live attempt has somebody who follows it, also those of an engine that is gone. */
export function attemptWatchers(
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
  const asking = watchAsking(world);
  const watch = async (attempt: Attempt): Promise<void> => {
    const asked = Promise.withResolvers<Ending>();
    asks.set(attempt.id, asked.resolve);
    try {
      await watchAttempt(world, attempt, {
        stop,
        asked: asked.promise,
        heard: (cost) => spending.heard(attempt.id, cost),
        waitedUntil: () => asking.waitedUntil(attempt.id),
      });
      wake();
    } catch (error) {
      // Taken up again by the next pass, which nobody hurries: it would fail as fast again.
      world.log(`${attempt.id}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
    } finally {
      watched.delete(attempt.id);
      asks.delete(attempt.id);
      spending.forget(attempt.id);
      asking.forget(attempt.id);
    }
  };
  let hurried: Promise<unknown> = Promise.resolve();
  const supervise = async (): Promise<void> => {
    const live = await liveAttempts(world.ledger.db);
    await asking.look(live);
    for (const attempt of live)
      if (!watched.has(attempt.id)) watched.set(attempt.id, watch(attempt));
    for (const [id, ending] of await endingsOf(world, live)) asks.get(id)?.(ending);
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

/** Attempts that should end now, with the reason. */
async function endingsOf(
  world: World,
  live: readonly Attempt[],
): Promise<readonly (readonly [id: string, ending: Ending])[]> {
  const through = live.filter(({ saidDone }) => saidDone !== null);
  return [
    ...through.map(({ id }) => [id, { kind: 'said-done' }] as const),
    ...[...(await givenUp(world, live))].map(
      ([id, reason]) => [id, { kind: 'asked', reason }] as const,
    ),
    ...[...(await overBudget(world, live))].map(
      ([id, spent]) => [id, { kind: 'over-budget', spent }] as const,
    ),
  ];
}

/** Attempts whose convoy has nothing left to spend, with what it spent. */
async function overBudget(world: World, live: readonly Attempt[]): Promise<Map<string, string>> {
  const spent = await spentConvoys(world, live);
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
