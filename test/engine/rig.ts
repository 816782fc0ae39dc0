import { onTestFinished } from 'vitest';
import { type EngineRig, openEngineRig, type Wish } from './open-rig.ts';

export { type EngineRig, WORK } from './open-rig.ts';

/** A workspace with the engine in this process, for the length of a test. */
export async function engineRig(wish: Wish = {}): Promise<EngineRig> {
  const rig = await openEngineRig(wish);
  onTestFinished(() => rig.close());
  return rig;
}
