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
const WRAPPERS = new Set(['bwrap', 'unshare']);
const LONGEST_KILL_MS = 5_000;

/** Asks processes to end, waits, and makes the rest end, until a look around finds none. */
export async function endAll(look: () => Row[], graceMs: number): Promise<EndedAll> {
  const asked = new Set<number>();
  if (graceMs > 0) await ask(look, graceMs, asked);
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
  return { asked: asked.size, endedWhenAsked, killed: killed.size, left };
}

/** Those who are born while the others end are asked as well. */
async function ask(look: () => Row[], graceMs: number, asked: Set<number>): Promise<void> {
  const deadline = performance.now() + graceMs;
  for (let rows = look(); rows.length > 0 && performance.now() < deadline; rows = look()) {
    for (const { pid, name } of rows) {
      if (WRAPPERS.has(name) || asked.has(pid)) continue;
      asked.add(pid);
      signal(pid, 'SIGTERM');
    }
    await pause(15);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It was quicker.
  }
}
