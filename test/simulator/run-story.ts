import { type Action, act, nothingMade } from './actions.ts';
import { ending } from './ending.ts';
import { simRig } from './rig.ts';
import { watch } from './watch.ts';

/** Plays a story against the engine; the first broken promises, or nothing. */
export async function brokenIn(seed: number, story: readonly Action[]): Promise<string[]> {
  const rig = await simRig(seed);
  const made = nothingMade();
  const watching = watch(rig, made);
  try {
    for (const each of story) {
      await act(rig, made, each);
      await rig.time.pass(0);
      const broken = await watching.look();
      if (broken.length > 0) return broken;
    }
    const ended = await ending(rig, made);
    return [...(await watching.look()), ...ended];
  } finally {
    await rig.close();
  }
}
