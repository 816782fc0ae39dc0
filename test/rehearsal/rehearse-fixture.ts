import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createRehearsal } from '../../src/adapters/rehearsal/rehearse.ts';
import type { RehearsalEvent, RehearsalReport } from '../../src/ports/rehearsal.ts';
import { requestFor } from './request.ts';
import type { Overrides } from './request.ts';

export type Rehearsed = {
  readonly report: RehearsalReport;
  readonly events: readonly RehearsalEvent[];
  readonly output: string;
  /** The directory in which scratch copies are made; empty when all is cleaned up. */
  readonly base: string;
};

/** Rehearses a service of test/fixtures/services (or another root) with a short load. */
export async function rehearse(service: string, overrides: Overrides = {}): Promise<Rehearsed> {
  const base = overrides.base ?? temporaryDirectory();
  const events: RehearsalEvent[] = [];
  const report = await createRehearsal({
    scratchBase: base,
    ...(overrides.path === undefined ? {} : { path: overrides.path }),
    ...(overrides.isolation === undefined ? {} : { isolation: overrides.isolation }),
  }).run(
    requestFor(service, overrides),
    (event) => {
      events.push(event);
      overrides.onEvent?.(event);
    },
    overrides.signal ?? new AbortController().signal,
  );
  const output = events.map((event) => (event.kind === 'output' ? event.text : '')).join('');
  return { report, events, output, base };
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'convoy-test-'));
  // A database server that may not run as root has to get through.
  chmodSync(directory, 0o711);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** What a rehearsal in this base left: directories, and processes that work or were born there. */
export function leftovers(base: string): string[] {
  return [...readdirSync(base), ...processesIn(base).map((pid) => `process ${pid}`)];
}

function processesIn(base: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(base) || environment.includes(base);
      } catch {
        return false;
      }
    });
}

export function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.startsWith('Z') === false;
  } catch {
    return false;
  }
}

/** Waits until something is true; the caller's test timeout is the limit. */
export async function eventually(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((wake) => setTimeout(wake, 20));
}
