import type { Client } from '../client/client.ts';
import type { Problem } from '../contract/problem.ts';
import type { Result } from '../lib/result.ts';
import type { ConnectPlace } from './connect.ts';
import type { InitReport, InitWish } from './init.ts';
import type { Daemon } from './serve.ts';
import { lazyShip, type ShipDoors } from './lazy-ship.ts';
import type { UpReport, UpWish } from './up.ts';

/** What the launcher gives the command line besides streams: the ways into a workspace. */
export type Doors = {
  connect(place: ConnectPlace): Promise<Result<Client, Problem>>;
  init(wish: InitWish): Promise<Result<InitReport, Problem>>;
  run(wish: Omit<UpWish, 'version' | 'launcher'>): Promise<Result<Daemon, Problem>>;
  detach(wish: Omit<UpWish, 'version' | 'launcher'>): Promise<Result<UpReport, Problem>>;
  running(wish: Pick<UpWish, 'dir' | 'env'>): Promise<UpReport | null>;
  stop(wish: Pick<UpWish, 'dir' | 'env'>): Promise<Result<{ stopped: number | null }, Problem>>;
  readonly ship: ShipDoors;
};

/** `launcher` is the command line that starts this very program again. */
export const doors = (version: string, launcher: readonly [string, ...string[]]): Doors => ({
  // Each door is loaded when it is opened: help and completion need none.
  connect: async (place) => (await import('./connect.ts')).connect(place, version),
  init: async (wish) => (await import('./init.ts')).initWorkspace(wish),
  run: async (wish) => (await import('./up.ts')).runDaemon({ ...wish, version, launcher }),
  detach: async (wish) => (await import('./up.ts')).detachDaemon({ ...wish, version, launcher }),
  running: async (wish) => (await import('./up.ts')).runningDaemon(wish),
  stop: async (wish) => (await import('./up.ts')).stopDaemon(wish),
  ship: lazyShip(version, launcher),
});
