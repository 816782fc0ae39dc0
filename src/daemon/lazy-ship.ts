import { lazily } from './lazily.ts';
import type { shipDoors } from './ship-doors.ts';

export type ShipDoors = ReturnType<typeof shipDoors>;

/** The doors of shipping, loaded when one is opened: most commands never do. */
export function lazyShip(version: string, launcher: readonly string[]): ShipDoors {
  const doors = lazily(async () => (await import('./ship-doors.ts')).shipDoors(version, launcher));
  return {
    plan: async (wish) => (await doors()).plan(wish),
    drive: async (wish) => (await doors()).drive(wish),
    rehearse: async (wish) => (await doors()).rehearse(wish),
    demo: async (wish) => (await doors()).demo(wish),
  };
}
