import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Refusal } from '../api/guard.ts';

const MOST_BYTES = 1024 * 1024;

/** Writes down who was turned away, one JSON document a line; two files of at most a megabyte. */
export function refusedLog(dir: string, now: () => number): (refusal: Refusal) => void {
  const file = join(dir, 'logs', 'refused.log');
  mkdirSync(join(dir, 'logs'), { recursive: true });
  let size = sizeOf(file);
  return (refusal) => {
    const line = `${JSON.stringify({ at: new Date(now()).toISOString(), ...refusal })}\n`;
    try {
      if (size + line.length > MOST_BYTES) {
        renameSync(file, `${file}.1`);
        size = 0;
      }
      appendFileSync(file, line, { mode: 0o600 });
      size += line.length;
    } catch {
      // A full disk must not turn a refusal into a failure of the daemon.
    }
  };
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}
