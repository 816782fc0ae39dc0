// Preloaded into a daemon: its time of day is the system's and the milliseconds that a file names. Timers
// and the monotonic clock stay as they are, as when somebody sets the clock of a machine. What SQLite and
// other processes take for the time is not changed by it.
import { readFileSync } from 'node:fs';

const LOOK_MS = 10;
const file = process.env['CONVOY_TEST_CLOCK'] ?? '';
const System = Date;
let [lookedAt, skew] = [-Infinity, 0];

function now(): number {
  const instant = performance.now();
  if (instant - lookedAt > LOOK_MS) {
    lookedAt = instant;
    skew = skewIn(file);
  }
  return System.now() + skew;
}

function skewIn(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}

globalThis.Date = new Proxy(System, {
  construct(target, args: unknown[], self): object {
    const made: unknown = Reflect.construct(target, args.length === 0 ? [now()] : args, self);
    return Object(made);
  },
  apply: () => new System(now()).toString(),
  get: (target, key) => (key === 'now' ? now : (Reflect.get(target, key) as unknown)),
});
