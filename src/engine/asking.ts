import type { Attempt } from '../domain/work/attempt.ts';
import { openQuestions } from '../ledger/queries/open-questions.ts';
import type { World } from './world.ts';

/** Which agents wait for a person: that is no silence of theirs. */
export type AskingWatch = {
  look(live: readonly Pick<Attempt, 'id'>[]): Promise<void>;
  /** Until when an agent waited, by the monotonic clock; now, while it does. */
  waitedUntil(attempt: string): number;
  forget(attempt: string): void;
};

export function watchAsking(world: World): AskingWatch {
  const waits = new Map<string, { open: boolean; until: number }>();
  const { timers } = world;
  return {
    async look(live) {
      const asked = await openQuestions(
        world.ledger.db,
        live.map(({ id }) => id),
      );
      const open = new Set(asked.map(({ subject }) => subject));
      const until = timers.monotonic();
      for (const [id, wait] of waits)
        if (wait.open && !open.has(id)) waits.set(id, { open: false, until });
      for (const id of open) waits.set(id, { open: true, until });
    },
    waitedUntil(attempt) {
      const wait = waits.get(attempt);
      if (wait === undefined) return -Infinity;
      return wait.open ? timers.monotonic() : wait.until;
    },
    forget: (attempt) => void waits.delete(attempt),
  };
}
