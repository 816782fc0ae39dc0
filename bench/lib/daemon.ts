import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EngineRig } from '../../test/engine/open-rig.ts';

const run = promisify(execFile);
const CONVOY = join(import.meta.dirname, '../../bin/convoy.js');

/** The engine as users have it: `convoy up` in a process of its own, from the built program. */
export async function upIn(rig: EngineRig): Promise<AsyncDisposable> {
  const convoy = (...args: string[]): Promise<unknown> =>
    run(process.execPath, [CONVOY, '--dir', rig.path(), ...args], { env: rig.env });
  await convoy('up', '--detach', '--port', '0');
  return { [Symbol.asyncDispose]: async () => void (await convoy('down')) };
}
