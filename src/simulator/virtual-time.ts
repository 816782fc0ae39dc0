import type { Timers } from '../ports/timers.ts';

/** A clock that stands still until it is told to go on. */
export type VirtualTime = Timers & {
  /** The time of day, which may be set; timers do not care. */
  now(): number;
  /** Sets the time of day forward or back. */
  jump(ms: number): void;
  sleep(ms: number): Promise<void>;
  /** Lets so much time pass, and everything happen that is due meanwhile, one thing after the other. */
  pass(ms: number): Promise<void>;
};

type Due = { readonly at: number; readonly order: number; readonly run: () => void };

/** Same timers, same order: what happens depends on nothing but what was asked for. */
export function virtualTime(start: number): VirtualTime {
  let elapsed = 0;
  let skew = 0;
  let order = 0;
  const due = new Set<Due>();
  const after: Timers['after'] = (ms, run) => {
    const timer = { at: elapsed + Math.max(0, ms), order: (order += 1), run };
    due.add(timer);
    return () => void due.delete(timer);
  };
  const first = (): Due | null => {
    let best: Due | null = null;
    for (const timer of due)
      if (best === null || timer.at < best.at || (timer.at === best.at && timer.order < best.order))
        best = timer;
    return best;
  };
  return {
    monotonic: () => elapsed,
    now: () => Math.floor(start + elapsed + skew),
    jump(ms) {
      skew += ms;
    },
    after,
    sleep: (ms) => new Promise((resolve) => void after(ms, resolve)),
    async pass(ms) {
      const until = elapsed + ms;
      for (;;) {
        await quiet();
        const next = first();
        if (next === null || next.at > until) break;
        due.delete(next);
        elapsed = next.at;
        next.run();
      }
      elapsed = until;
      await quiet();
    },
  };
}

/**
 * Everything that can go on without time passing has gone on: nothing in the simulator waits for
 * anything but timers and promises, and promises are through before an immediate runs.
 */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
