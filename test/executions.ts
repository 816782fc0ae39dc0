import { readdirSync, readFileSync } from 'node:fs';
import { EXECUTION_MARKER } from '../src/ports/executor.ts';

/** Processes of executions whose home is in this workspace. */
export function executionsUnder(root: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      const isZombie = stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
      return (
        !isZombie && environment.includes(`${EXECUTION_MARKER}=`) && environment.includes(root)
      );
    } catch {
      return false;
    }
  });
}
