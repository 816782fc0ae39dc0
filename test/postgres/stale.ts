import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export const SCRATCH = '/tmp';
export const PREFIX = 'convoy-pg-';
export const OWNER_FILE = 'owner';

const PATIENCE_MS = 5000;

/** Ends servers and removes directories whose run was killed before it could do so itself. */
export async function removeStale(scratch: string = SCRATCH): Promise<void> {
  for (const name of readdirSync(scratch).filter((entry) => entry.startsWith(PREFIX))) {
    const dir = join(scratch, name);
    const owner = numberIn(join(dir, OWNER_FILE));
    if (owner === null || isAlive(owner)) continue;
    await endServer(join(dir, 'data'));
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Only a process that says it serves this very directory is ended. */
async function endServer(data: string): Promise<void> {
  const pid = numberIn(join(data, 'postmaster.pid'));
  if (pid === null || !commandOf(pid).includes(data)) return;
  process.kill(pid, 'SIGQUIT');
  const start = performance.now();
  while (isAlive(pid) && performance.now() - start < PATIENCE_MS) await pause(20);
}

function numberIn(file: string): number | null {
  if (!existsSync(file)) return null;
  const number = Number.parseInt(readFileSync(file, 'utf8'), 10);
  return Number.isNaN(number) ? null : number;
}

function commandOf(pid: number): string {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
