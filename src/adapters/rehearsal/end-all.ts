import { setTimeout as pause } from 'node:timers/promises';
import type { Row } from './process-table.ts';

export type EndedAll = {
  readonly asked: number;
  /** True when everything ended within the grace. */
  readonly endedWhenAsked: boolean;
  readonly killed: number;
  /** What even SIGKILL did not end. */
  readonly left: readonly Row[];
};

// They end by themselves with the last process inside, and would take it down if they were asked.
const WRAPPERS = new Set(['bwrap']);
const LONGEST_KILL_MS = 5_000;

/** Asks processes to end, waits, and makes the rest end, until a look around finds none. */
export async function endAll(look: () => Row[], graceMs: number): Promise<EndedAll> {
  const first = look();
  const asked = first.filter((row) => !WRAPPERS.has(row.name));
  if (graceMs > 0) {
    for (const row of asked) signal(row.pid, 'SIGTERM');
    await gone(look, graceMs);
  }
  const stubborn = look();
  const killed = new Set<number>();
  const deadline = performance.now() + LONGEST_KILL_MS;
  let left = stubborn;
  while (left.length > 0 && performance.now() < deadline) {
    for (const row of left) {
      killed.add(row.pid);
      signal(row.pid, 'SIGKILL');
    }
    await pause(10);
    left = look();
  }
  const endedWhenAsked = stubborn.every((row) => WRAPPERS.has(row.name));
  return { asked: asked.length, endedWhenAsked, killed: killed.size, left };
}

async function gone(look: () => Row[], graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && look().length > 0) await pause(15);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It was quicker.
  }
}
