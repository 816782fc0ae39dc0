import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { WRAPPER_SOURCE } from '../../src/adapters/executor/wrapper-source.ts';
import type { ExecutionSpec } from '../../src/ports/executor.ts';

/** A wrapper without an engine, to be told line by line. */
export type BareWrapper = {
  readonly child: ChildProcess;
  /** Its next word. */
  readonly word: () => Promise<string>;
  readonly exit: Promise<unknown[]>;
};

export function bareWrapper(place: string, flags: readonly string[] = []): BareWrapper {
  const file = join(place, 'wrapper.cjs');
  writeFileSync(file, WRAPPER_SOURCE);
  const child = spawn(process.execPath, [...flags, file], {
    cwd: place,
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    exit: once(child, 'exit'),
    word: async () => String((await lines.next()).value),
  };
}

/** What the executor would send for this execution, without the line end; its directory is there then. */
export async function messageFor(runs: string, spec: ExecutionSpec): Promise<string> {
  const dir = join(runs, spec.id);
  await mkdir(dir, { recursive: true });
  return JSON.stringify({
    ...spec,
    dir,
    limits: { outputBytes: 65_536 },
    marker: { name: 'CONVOY_EXECUTION', value: spec.id },
  });
}

/** Every wrapper that this process, or the given one, has begun in a directory. */
export async function wrappersOf(runs: string, parent: number = process.pid): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const isWrapper = async (pid: string): Promise<boolean> => {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return line.includes(join(runs, '.wrapper-')) && status.includes(`\nPPid:\t${parent}\n`);
  };
  const found = await Promise.all(pids.map(async (pid) => ((await isWrapper(pid)) ? [pid] : [])));
  return found.flat().map(Number);
}
