import type { ResourceUsage } from '../../ports/rehearsal.ts';
import type { Family } from './family.ts';
import { residentBytes } from './process-table.ts';

const EVERY_MS = 200;
const TICKS_PER_SECOND = 100;

/** Watches memory and processor time of a family from now on. */
export function watchUsage(family: Family): { readonly end: () => ResourceUsage } {
  const from = performance.now();
  const ticks = new Map<string, { first: number; last: number }>();
  let peakRssBytes = 0;
  let processes = 0;

  function look(): void {
    const rows = family.members();
    processes = Math.max(processes, rows.length);
    peakRssBytes = Math.max(
      peakRssBytes,
      rows.reduce((total, { pid }) => total + residentBytes(pid), 0),
    );
    for (const { pid, start, cpuTicks } of rows) {
      const known = ticks.get(`${pid} ${start}`);
      if (known === undefined) ticks.set(`${pid} ${start}`, { first: cpuTicks, last: cpuTicks });
      else known.last = cpuTicks;
    }
  }

  look();
  const timer = setInterval(look, EVERY_MS);
  return {
    end: () => {
      clearInterval(timer);
      look();
      const spent = [...ticks.values()].reduce((total, { first, last }) => total + last - first, 0);
      const seconds = Math.max(0.001, (performance.now() - from) / 1000);
      return { peakRssBytes, cpuCores: spent / TICKS_PER_SECOND / seconds, processes };
    },
  };
}
