import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openEngineRig } from '../test/engine/open-rig.ts';
import { numberFlag } from './lib/flags.ts';
import { report, round } from './lib/report.ts';

/**
 * CPU and children of a daemon with ten repos and nothing to do; the reference is the aim, half a percent.
 * Flags: --seconds, --repos. Needs /proc.
 */
const seconds = numberFlag('seconds', 30);
const repos = numberFlag('repos', 10);
const AIM_PERCENT = 0.5;
/** What begins with the daemon has ended by then. */
const SETTLED_MS = 10_000;
const TICKS_PER_S = 100;

const rig = await openEngineRig({ repos: Array.from({ length: repos }, (_, n) => `repo${n}`) });
const entry = join(import.meta.dirname, '..', 'bin', 'convoy.js');
const daemon = spawn(process.execPath, [entry, '-C', rig.root, 'up', '--quiet', '--port', '0'], {
  env: { ...rig.env },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const pid = daemon.pid ?? 0;
await pause(SETTLED_MS);
const before = look();
let children = 0;
for (let second = 0; second < seconds; second++) {
  await pause(1000);
  children = Math.max(children, childrenOf(pid));
}
const after = look();
const ended = once(daemon, 'exit');
daemon.kill('SIGTERM');
await ended;
await rig.close();
report({
  name: 'idle',
  ours: ((after.ticks - before.ticks) / TICKS_PER_S / seconds) * 100,
  reference: AIM_PERCENT,
  unit: '% of a core',
  wake_ups_per_s: Math.round((after.switches - before.switches) / seconds),
  children,
  repos,
  seconds,
  load: round(loadavg()[0] ?? 0),
});

/** CPU of all its threads, and how often its main thread went to sleep. */
function look(): { ticks: number; switches: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    ticks: Number(fields[11]) + Number(fields[12]),
    switches: Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0),
  };
}

function childrenOf(parent: number): number {
  return readdirSync('/proc').filter((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
    } catch {
      return false;
    }
  }).length;
}
