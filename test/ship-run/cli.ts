import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { databaseOfTest, ledgerVariables } from '../postgres/ledger-of-test.ts';

// Behind `--`, so that Node does not take --env-file for an option of its own.
const SCRIPT = join(process.cwd(), 'bin', 'convoy.js');

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
};

export type Started = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  out(): string;
};

/** A machine of its own: home, cache and nothing of ours. */
export async function convoyIn(home: string, extra: Readonly<Record<string, string>> = {}) {
  const database = await databaseOfTest();
  mkdirSync(join(home, 'home'), { recursive: true });
  const env = {
    PATH: process.env['PATH'],
    HOME: join(home, 'home'),
    XDG_CACHE_HOME: join(home, 'cache'),
    TMPDIR: process.env['TMPDIR'],
    NO_COLOR: '1',
    CONVOY_PORT: '0',
    ...ledgerVariables(database),
    ...extra,
  };
  const start = (cwd: string, ...args: string[]): Started => {
    const child = spawn(process.execPath, ['--', SCRIPT, ...args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const ended = new Promise<Ended>((resolve) =>
      child.on('close', (code, signal) => resolve({ code, signal, out, err })),
    );
    return { child, ended, out: () => out };
  };
  const run = (cwd: string, ...args: string[]): Promise<Ended> => start(cwd, ...args).ended;
  return {
    start,
    run,
    /** The one JSON document of a command, with its exit code. */
    json: async (cwd: string, ...args: string[]) => {
      const { code, out, err } = await run(cwd, ...args, '--json');
      const lines = out.trim().split('\n');
      if (lines.length !== 1) throw new Error(`not one document: ${out}${err}`);
      return { code, body: JSON.parse(lines[0] ?? ''), err };
    },
  };
}
