import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processStart } from './process-start.ts';

/** Where a running daemon of a workspace is found. */
export type DaemonFile = {
  readonly pid: number;
  readonly start_time: number;
  readonly url: string;
  readonly instance: string;
};

const NAME = 'daemon.json';

export function writeDaemonFile(dir: string, daemon: DaemonFile): void {
  const file = join(dir, NAME);
  writeFileSync(`${file}.${daemon.pid}`, `${JSON.stringify(daemon, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.${daemon.pid}`, file);
}

export function removeDaemonFile(dir: string, instance: string): void {
  if (readDaemonFile(dir)?.instance === instance) rmSync(join(dir, NAME), { force: true });
}

export function readDaemonFile(dir: string): DaemonFile | null {
  try {
    const read: unknown = JSON.parse(readFileSync(join(dir, NAME), 'utf8'));
    return isDaemonFile(read) ? read : null;
  } catch {
    return null;
  }
}

/** The daemon that is written down, if its process still lives (and is not another with its pid). */
export function livingDaemon(dir: string): DaemonFile | null {
  const daemon = readDaemonFile(dir);
  if (daemon === null) return null;
  return processStart(daemon.pid) === daemon.start_time ? daemon : null;
}

function isDaemonFile(value: unknown): value is DaemonFile {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'start_time' in value &&
    typeof value.start_time === 'number' &&
    'url' in value &&
    typeof value.url === 'string' &&
    'instance' in value &&
    typeof value.instance === 'string'
  );
}
