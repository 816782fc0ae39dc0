import type { Client } from '../client/client.ts';
import type { Problem } from '../contract/problem.ts';
import type { Result } from '../lib/result.ts';
import { connect, type ConnectPlace } from './connect.ts';
import type { InitReport, InitWish } from './init.ts';
import type { Daemon } from './serve.ts';
import { lazyShip, type ShipDoors } from './lazy-ship.ts';
import {
  detachDaemon,
  runDaemon,
  runningDaemon,
  stopDaemon,
  type UpReport,
  type UpWish,
} from './up.ts';

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
  connect: (place) => connect(place, version),
  init: async (wish) => (await import('./init.ts')).initWorkspace(wish),
  run: (wish) => runDaemon({ ...wish, version, launcher }),
  detach: (wish) => detachDaemon({ ...wish, version, launcher }),
  running: runningDaemon,
  stop: stopDaemon,
  ship: lazyShip(version, launcher),
});
