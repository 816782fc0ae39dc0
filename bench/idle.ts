import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openEngineRig } from '../test/engine/open-rig.ts';
import { report } from './lib/report.ts';

/** CPU of an engine with ten repos and nothing to do; the reference is the aim, half a percent. */
const SECONDS = Number(process.argv[2] ?? 10);
const AIM_PERCENT = 0.5;

const rig = await openEngineRig({ repos: Array.from({ length: 10 }, (_, n) => `repo${n}`) });
rig.start();
await pause(1500);
const before = { cpu: process.cpuUsage(), switches: wakeUps() };
await pause(SECONDS * 1000);
const { user, system } = process.cpuUsage(before.cpu);
const switches = wakeUps() - before.switches;
await rig.close();
report({
  name: 'idle',
  ours: (user + system) / (SECONDS * 10_000),
  reference: AIM_PERCENT,
  unit: '% of a core',
  wake_ups_per_s: Math.round(switches / SECONDS),
  seconds: SECONDS,
});

/** Voluntary context switches of this process's main thread; 0 where the system does not tell. */
function wakeUps(): number {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
