import { onTestFinished } from 'vitest';
import { databaseOfTest } from '../postgres/ledger-of-test.ts';
import { type EngineRig, openEngineRig, type Wish } from './open-rig.ts';

export { type EngineRig, WORK } from './open-rig.ts';

/** A workspace with the engine in this process, for the length of a test. */
export async function engineRig(wish: Wish = {}): Promise<EngineRig> {
  const rig = await openEngineRig(wish, await databaseOfTest());
  onTestFinished(() => rig.close());
  return rig;
}
