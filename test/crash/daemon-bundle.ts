import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bundle } from '../bundle.ts';
import type { EngineRig } from '../engine/open-rig.ts';

/** The daemon of engine-process.ts in one file, because it starts often. */
export type DaemonBundle = {
  start(rig: EngineRig, how?: DaemonWish): ChildProcess;
  remove(): void;
};

export type DaemonWish = {
  readonly crashAt?: string;
  /** The largest file it may write, as on a full disk. */
  readonly fileKib?: number;
  /** A file that says by how many milliseconds its clock is wrong; it may be written at any time. */
  readonly clock?: string;
};

const CLOCK = join(import.meta.dirname, 'jumping-clock-process.ts');

export async function bundleDaemon(): Promise<DaemonBundle> {
  const made = await bundle(join(import.meta.dirname, 'engine-process.ts'));
  const { file } = made;
  return {
    remove: () => made.remove(),
    start(rig, { crashAt, fileKib, clock } = {}) {
      const env = {
        ...rig.env,
        ...(crashAt === undefined ? {} : { CONVOY_CRASH_AT: crashAt }),
        ...(clock === undefined ? {} : { CONVOY_TEST_CLOCK: clock }),
      };
      const preload = clock === undefined ? [] : ['--import', CLOCK];
      const daemon = [process.execPath, '--no-warnings', ...preload, file, rig.root];
      const [program = '', ...args] =
        fileKib === undefined
          ? daemon
          : ['bash', '-c', `ulimit -f ${fileKib}; exec "$@"`, 'bash', ...daemon];
      return spawn(program, args, {
        env,
        stdio: ['ignore', 'ignore', fileKib === undefined ? 'inherit' : 'ignore'],
      });
    },
  };
}

/** How the process ended: a signal's name or an exit code. */
export async function endOf(child: ChildProcess): Promise<string | number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.signalCode ?? child.exitCode;
}
