import type { Timers } from '../ports/timers.ts';

/** A loop that takes no argument: it is woken without data and reads the ledger itself. */
export type Loop = {
  wake(): void;
  /** As `wake`, without the wait of `afterMs`. */
  hurry(): void;
  /** Resolves when the pass under way has ended; nothing is started afterwards. */
  stop(): Promise<void>;
};

type Options = {
  readonly everyMs: number;
  readonly afterMs?: number;
  readonly timers: Timers;
  readonly log: (line: string) => void;
};

/**
 * Runs passes one after the other: at once when woken, after the milliseconds a pass returned, and at the
 * latest after `everyMs` as a safety net. A pass never retries inside itself; what it could not do it finds again next time.
 * With `afterMs` a woken loop waits that long first, so that a burst of news is looked at once and after
 * those who are in a hurry.
 */
export function startLoop(name: string, pass: () => Promise<unknown>, options: Options): Loop {
  let woken = true;
  const life = { over: false };
  let signal = Promise.withResolvers<void>();
  const pause = pauses(options);
  const wake = (): void => {
    woken = true;
    signal.resolve();
  };
  const rest = async (due: number | null): Promise<void> => {
    if (woken) return;
    const wait = Math.min(options.everyMs, Math.max(0, due ?? Infinity));
    const letGo = options.timers.after(wait, wake);
    await signal.promise;
    letGo();
  };
  const running = (async () => {
    while (!life.over) {
      await pause.take();
      if (life.over) return;
      woken = false;
      signal = Promise.withResolvers<void>();
      let due: unknown = null;
      try {
        due = await pass();
      } catch (error) {
        options.log(
          `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
      }
      await rest(typeof due === 'number' ? due : null);
    }
  })();
  const hurry = (): void => {
    pause.skip();
    wake();
  };
  return {
    wake,
    hurry,
    stop: async () => {
      life.over = true;
      hurry();
      await running;
    },
  };
}

/** The wait before a pass, and how to do without it. */
function pauses({ afterMs, timers }: Options): { take(): Promise<void>; skip(): void } {
  let skipped = false;
  let end: (() => void) | null = null;
  return {
    take: async () => {
      if (afterMs !== undefined && !skipped) {
        const held = Promise.withResolvers<void>();
        const letGo = timers.after(afterMs, held.resolve);
        end = held.resolve;
        await held.promise;
        letGo();
      }
      skipped = false;
    },
    skip: () => {
      skipped = true;
      end?.();
    },
  };
}
