import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { EngineRig } from '../engine/open-rig.ts';

/** The daemon of engine-process.ts in one file, because it starts often. */
export type DaemonBundle = {
  start(rig: EngineRig, crashAt?: string): ChildProcess;
  remove(): void;
};

export async function bundleDaemon(): Promise<DaemonBundle> {
  const folder = mkdtempSync(join(tmpdir(), 'convoy-daemon-'));
  const file = join(folder, 'daemon.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'engine-process.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    logLevel: 'error',
    banner: {
      js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);",
    },
  });
  return {
    start(rig, crashAt) {
      const env = { ...rig.env, ...(crashAt === undefined ? {} : { CONVOY_CRASH_AT: crashAt }) };
      return spawn(process.execPath, ['--no-warnings', file, rig.root], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** How the process ended: a signal's name or an exit code. */
export async function endOf(child: ChildProcess): Promise<string | number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.signalCode ?? child.exitCode;
}
