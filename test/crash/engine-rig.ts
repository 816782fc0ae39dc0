import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { EngineRig } from '../engine/open-rig.ts';
import { bundleDaemon, type DaemonBundle, type DaemonWish, endOf } from './daemon-bundle.ts';

/** The bundle of this test file; daemons that outlive their test are ended. */
export function daemons(): {
  start: (rig: EngineRig, how?: DaemonWish) => ChildProcess;
  stop: (child: ChildProcess) => Promise<void>;
} {
  let bundle: DaemonBundle | null = null;
  beforeAll(async () => {
    bundle = await bundleDaemon();
  });
  afterAll(() => bundle?.remove());
  return {
    start(rig, how) {
      if (bundle === null) throw new Error('there is no bundle');
      const child = bundle.start(rig, how);
      onTestFinished(async () => {
        child.kill('SIGKILL');
        await endOf(child);
      });
      return child;
    },
    /** In good order. */
    async stop(child) {
      child.kill('SIGTERM');
      expect(await endOf(child)).toBe(0);
    },
  };
}
