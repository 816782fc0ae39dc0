import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from '../find-program.ts';
import { freePort } from '../sockets.ts';
import { launch } from '../step.ts';
import type { StoreOutcome, StoreRequest } from './store.ts';

const READY_MS = 10_000;

/** Starts a Redis (or its twin Valkey) of its own on the loopback; it keeps nothing on disk. */
export async function startRedis(request: StoreRequest): Promise<StoreOutcome> {
  const program =
    (await findProgram('redis-server', request.outsidePath)) ??
    (await findProgram('valkey-server', request.outsidePath));
  if (program === null) return { kind: 'missing', note: 'no Redis server is installed here' };
  const place = join(request.scratch.stores, 'redis');
  await mkdir(place, { mode: 0o700 });
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', place];
  const started = launch({
    argv: [program, ...settings, '--appendonly', 'no', '--daemonize', 'no'],
    cwd: place,
    env: { PATH: request.outsidePath },
    log: request.log,
    family: request.scratch.family,
  });
  const deadline = performance.now() + READY_MS;
  while (performance.now() < deadline && started.outcome() === null && !request.signal.aborted) {
    if (await answers(port))
      return {
        kind: 'started',
        variables: {
          REDIS_URL: `redis://127.0.0.1:${port}`,
          REDIS_HOST: '127.0.0.1',
          REDIS_PORT: String(port),
        },
      };
    await pause(15);
  }
  return { kind: 'broken', note: `Redis did not become ready: ${request.log.tail()}` };
}

async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.setTimeout(500, () => socket.destroy());
    socket.once('data', (bytes) => {
      resolve(bytes.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
  });
}
