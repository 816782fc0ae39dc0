import type { Crowd } from '../domain/merge/gather.ts';
import type { World } from './world.ts';

type Coming = { count: number; since: number };

const crowds = new WeakMap<World, Map<string, Coming>>();

const nameOf = ({ repo, target }: { repo: string; target: string }): string => `${repo}:${target}`;

/** Says that work for a queue is being brought in, until it is let go; lost without harm. */
export function announce(world: World, queue: { repo: string; target: string }): Disposable {
  const all = crowds.get(world) ?? new Map<string, Coming>();
  crowds.set(world, all);
  const name = nameOf(queue);
  const crowd = all.get(name) ?? { count: 0, since: world.timers.monotonic() };
  crowd.count += 1;
  all.set(name, crowd);
  let here = true;
  return {
    [Symbol.dispose]: () => {
      if (!here) return;
      here = false;
      crowd.count -= 1;
      if (crowd.count === 0) all.delete(name);
    },
  };
}

export function crowdOf(world: World, queue: { repo: string; target: string }): Crowd {
  const crowd = crowds.get(world)?.get(nameOf(queue));
  if (crowd === undefined) return { coming: 0, sinceMs: 0 };
  return { coming: crowd.count, sinceMs: world.timers.monotonic() - crowd.since };
}
