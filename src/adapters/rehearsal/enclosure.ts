import { createServer, connect } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from './find-program.ts';
import { captureLog } from './log-capture.ts';
import type { Run } from './run.ts';
import { launch } from './step.ts';

/** The network that a service lives in, as it is reached from here. */
export type Network = {
  /** The kernel's tables of it. */
  readonly tables: string;
  /** Put before an argv to run it there. */
  readonly enter: readonly string[];
  /** Null where an ordinary connection will do. */
  readonly connect: ((port: number, host: string) => Duplex) | null;
  readonly close: () => void;
};

export const SHARED_NETWORK: Network = {
  tables: '/proc/net',
  enter: [],
  connect: null,
  close: () => {},
};

const OPEN_MS = 5_000;

/**
 * Makes a network with nothing in it but its own loopback, or says why that is not possible.
 *
 * A small program inside is its only door: through a unix socket of ours it lets our probes in,
 * and on the ports of the throw-away data stores it lets the service out to those.
 */
export async function encloseNetwork(run: Run): Promise<Network | string> {
  const path = `${run.outsidePath}:/usr/sbin:/sbin`;
  const programs = ['unshare', 'nsenter', 'ip'].map(async (name) => findProgram(name, path));
  const [unshare, nsenter, ip] = await Promise.all(programs);
  if (unshare == null || nsenter == null || ip == null)
    return 'unshare, nsenter and ip are needed to block the network';
  const isRoot = process.getuid?.() === 0;
  const door = join(run.scratch.stores, 'door');
  const exits = await openExits(run);
  const log = captureLog([], () => {});
  const user = isRoot ? [] : ['--user', '--map-root-user'];
  const shell = ['sh', '-c', '"$0" link set lo up && exec "$@"', ip];
  const keeper = [process.execPath, '-e', DOOR_SOURCE, door];
  const ways = exits.map(({ port, socket }) => `${port}=${socket}`);
  const holder = launch({
    argv: [unshare, ...user, '--net', '--', ...shell, ...keeper, ...ways],
    cwd: run.scratch.stores,
    env: { PATH: path },
    log,
    family: run.scratch.family,
  });
  const close = (): void => exits.forEach(({ server }) => server.close());
  const deadline = performance.now() + OPEN_MS;
  while (!log.text().includes('open')) {
    if (holder.outcome() !== null || performance.now() > deadline) {
      close();
      return `a network of its own could not be made: ${log.tail().trim()}`;
    }
    await pause(10);
  }
  const asUser = isRoot ? [] : ['--user', '--preserve-credentials'];
  return {
    tables: `/proc/${holder.pid}/net`,
    enter: [nsenter, '--target', String(holder.pid), ...asUser, '--net', '--'],
    connect: (port, host) => {
      const socket = connect(door);
      socket.write(`${port} ${host}\n`);
      return socket;
    },
    close,
  };
}

type Exit = { readonly port: number; readonly socket: string; readonly server: Server };

/** One unix socket for each throw-away data store, which listens in our own network. */
async function openExits(run: Run): Promise<Exit[]> {
  const ports = ['PGPORT', 'REDIS_PORT'].flatMap((name) => run.variables[name] ?? []).map(Number);
  return Promise.all(
    ports.map(async (port) => {
      const socket = join(run.scratch.stores, `exit-${port}`);
      const server = createServer((inner) => {
        const outer = connect(port, '127.0.0.1');
        inner.on('error', () => outer.destroy());
        outer.on('error', () => inner.destroy());
        inner.pipe(outer).pipe(inner);
      });
      await new Promise<void>((done) => server.listen(socket, done));
      return { port, socket, server };
    }),
  );
}

/** Arguments: the socket for those who want in, then `port=socket` for each way out. */
const DOOR_SOURCE = `
const net = require('node:net');
const [door, ...exits] = process.argv.slice(1);
const join = (a, b) => {
  a.on('error', () => b.destroy());
  b.on('error', () => a.destroy());
  a.pipe(b).pipe(a);
};
let closed = exits.length + 1;
const opened = () => { if (--closed === 0) console.log('open'); };
net.createServer((outer) => {
  outer.on('error', () => {});
  outer.once('data', (first) => {
    const end = first.indexOf(10);
    const [port, host] = first.subarray(0, end).toString().split(' ');
    const inner = net.connect(Number(port), host);
    inner.write(first.subarray(end + 1));
    join(outer, inner);
  });
}).listen(door, opened);
for (const exit of exits) {
  const [port, socket] = exit.split('=');
  net.createServer((inner) => join(inner, net.connect(socket))).listen(Number(port), '127.0.0.1', opened);
}
`;
