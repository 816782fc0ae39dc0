import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { driveRun } from '../../src/engine/ship/drive-run.ts';
import type { ShipWorld } from '../../src/engine/ship/world.ts';
import { changeRun } from '../../src/ledger/runs.ts';
import { databaseOfTest } from '../postgres/ledger-of-test.ts';
import { openRun, openWorld, readRun, type Script } from './rig.ts';
import { SERVICE } from './temp.ts';

const never = new AbortController().signal;

export async function drive(world: ShipWorld, run: string, wait = false) {
  const driven = await driveRun(world, run, { wait, signal: never });
  if (!driven.ok) throw new Error(driven.error.kind);
  return driven.value;
}

export async function resume(world: ShipWorld, run: string, fresh = false) {
  const { options } = await readRun(world.ledger, run);
  const resumed = await world.ledger.write('test', (tx) =>
    changeRun(tx, run, { type: 'resume', options, fresh }),
  );
  if (!resumed.ok) throw new Error(`${run} is ${resumed.error.status}`);
}

/** Each test has a ledger of its own, on the engine that is asked for. */
export function onOwnLedgers() {
  let database: string | null;
  beforeEach(async () => {
    database = await databaseOfTest();
  });
  const placeIn = (dir: string): string => database ?? join(dir, 'ledger.db');
  return {
    placeIn,
    begin: async (dir: string, script: Script = {}, options = {}, files = SERVICE) => {
      const world = await openWorld(dir, placeIn(dir), script);
      return { world, ...(await openRun(dir, world, options, files)) };
    },
  };
}
