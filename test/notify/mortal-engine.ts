// One life of the notify loop in a process of its own: it ends itself with SIGKILL at the given step.
import { join } from 'node:path';
import { notifierFor } from '../../src/adapters/notifiers/notifier-for.ts';
import { openSettings } from '../../src/config/store.ts';
import { notifying } from '../../src/engine/notify.ts';
import { openLedger } from '../../src/ledger/open.ts';

const [dir = '', place = '', last = '', when = '', later = '0'] = process.argv.slice(2);
const now = (): number => Date.now() + Number(later);
const ledger = await openLedger(place, now);
const surroundings = {
  cwd: dir,
  logFile: join(dir, 'logs', 'notifications.log'),
  env: process.env,
  now,
  say: () => {},
  timeoutMs: 5000,
};

let steps = 0;
async function step<T>(effect: () => Promise<T>): Promise<T> {
  const isLast = String(steps++) === last;
  if (isLast && when === 'before') process.kill(process.pid, 'SIGKILL');
  const value = await effect();
  if (isLast) process.kill(process.pid, 'SIGKILL');
  return value;
}

await notifying({
  ledger: { ...ledger, write: (actor, work) => step(() => ledger.write(actor, work)) },
  settings: openSettings(join(dir, 'config.toml'), process.env),
  ids: { base36: (length) => `${process.pid}x${steps}`.padStart(length, '0') },
  now,
  chance: () => 0.5,
  log: () => {},
  notifier: (sink) => {
    const notifier = notifierFor(sink, surroundings);
    return { ...notifier, send: (message) => step(() => notifier.send(message)) };
  },
}).pass();
await ledger.close();
