import { byPulls } from './pull-place.ts';
import {
  catchUp,
  hold,
  lookAtRemote,
  lostLanding,
  originUrl,
  release,
  remoteChanged,
  type Synced,
  syncTarget,
} from './push.ts';
import type { Place } from './queue-run.ts';

/** Brings what others did to the target here before anything is built on it. */
export const syncQueue = (place: Place): Promise<void> =>
  syncTarget(place, byPulls(place) ? lookAtForge : lookAtRemote);

/**
 * Brings the target here to where it is on origin, and finds the forge there. What is tested is then
 * what the forge would merge into; commits that only this machine has would make that untrue.
 */
async function lookAtForge(place: Place): Promise<Synced> {
  const { target, repository, world, memory } = place;
  const lost = await lostLanding(place);
  if (lost !== null) return hold(place, lost);
  const url = await originUrl(repository);
  if (url === null) return hold(place, 'delivery = "pull-request" needs a remote named origin');
  const changed = await remoteChanged(place, url);
  if (changed !== null) return hold(place, changed);
  if (memory.pulls.forge === null) {
    const forge = await world.forges.open(url);
    if (!forge.ok) {
      const { reason, remedy } = forge.error;
      return hold(place, `delivery = "pull-request" needs a forge: ${reason}. ${remedy}`);
    }
    memory.pulls.forge = forge.value;
  }
  const theirs = await repository.remote.fetch(url, target);
  if (!theirs.ok) return { kind: 'unreachable', upstream: { url } };
  if (theirs.value === null) return hold(place, `origin has no branch ${target}`);
  const apart = await catchUp(place, theirs.value);
  if (apart !== null) return hold(place, apart);
  const here = await repository.facts.head(target);
  if (!here.ok || here.value !== theirs.value)
    return hold(place, `${target} here has commits that origin lacks; push them first`);
  return release(place, { url, head: theirs.value });
}
