import type { Timers } from '../ports/timers.ts';

export const realTimers: Timers = {
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
