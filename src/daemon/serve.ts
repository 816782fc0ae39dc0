import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { serve, type ServerType } from '@hono/node-server';
import { createApp } from '../api/app.ts';
import type { Services } from '../api/context.ts';
import type { Environment } from '../config/environment.ts';
import type { Workspace } from '../config/workspace.ts';
import type { Problem } from '../contract/problem.ts';
import { dropLease, leaseHolder, takeLease } from '../ledger/lease.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { removeDaemonFile, writeDaemonFile } from './daemon-file.ts';
import { startLocalEngine } from './engine.ts';
import { ledgerProblem } from './in-process.ts';
import { processStart } from './process-start.ts';
import { openServices, type Variables } from './services.ts';
import { operatorToken, sameToken } from './token.ts';

const LOOPBACK = '127.0.0.1';
const LEASE = 'engine';
const LEASE_MS = 10_000;
const RENEW_MS = 3_000;

/** A running daemon: the holder of the engine, serving the API on loopback. */
export type Daemon = {
  readonly url: string;
  readonly instance: string;
  /** Resolves when the daemon has stopped for whatever reason. */
  readonly stopped: Promise<string>;
  stop(): Promise<void>;
};

/** Takes the engine's lease and serves. Refuses when another engine holds it. */
export async function startDaemon(
  workspace: Workspace,
  env: Variables,
  settings: Environment,
  wish: { version: string; port: number | null; launcher: readonly [string, ...string[]] },
): Promise<Result<Daemon, Problem>> {
  const instance = randomUUID();
  const holder = [hostname(), process.pid, processStart(process.pid), instance].join(' ');
  let url: string | null = null;
  const self = { version: wish.version, instance, engine: true };
  const opened = await openAt(() => url, workspace, env, settings, self);
  if (!opened.ok) return opened;
  const services = opened.value;
  const { ledger } = services;
  const lease = await takeEngine(services, holder);
  if (!lease.ok) {
    await ledger.close();
    return lease;
  }
  const token = operatorToken(workspace.dir);
  const insists = wish.port !== null;
  const listening = await listen(services, instance, token, wish.port ?? settings.port, insists);
  if (!listening.ok) {
    await dropLease(ledger.db, LEASE, holder);
    await ledger.close();
    return listening;
  }
  const server = listening.value;
  url = urlOf(server);
  writeDaemonFile(workspace.dir, {
    pid: process.pid,
    start_time: processStart(process.pid) ?? 0,
    url,
    instance,
  });
  const engine = startLocalEngine(services, env, url, wish.launcher);
  const stopped = Promise.withResolvers<string>();
  const stop = async (why: string): Promise<void> => {
    clearInterval(renewal);
    removeDaemonFile(workspace.dir, instance);
    await engine.stop();
    await closed(server);
    await dropLease(ledger.db, LEASE, holder).catch(() => {});
    await ledger.close();
    stopped.resolve(why);
  };
  const renewal = setInterval(() => {
    void renew(services, holder).then((held) =>
      held ? undefined : stop('another engine took over'),
    );
  }, RENEW_MS);
  return ok({ url, instance, stopped: stopped.promise, stop: () => stop('asked to stop') });
}

/** The address is known once there is a port; nobody can ask before. */
async function openAt(
  address: () => string | null,
  workspace: Workspace,
  env: Variables,
  settings: Environment,
  self: Pick<Services, 'version' | 'instance' | 'engine'>,
): Promise<Result<Services, Problem>> {
  try {
    const opened = await openServices(workspace, env, settings, { ...self, dashboard: null });
    return ok({
      ...opened,
      get dashboard() {
        return settings.webUrl ?? address();
      },
    });
  } catch (error) {
    return err(ledgerProblem(error, workspace));
  }
}

async function takeEngine(services: Services, holder: string): Promise<Result<null, Problem>> {
  const { db, engine } = services.ledger;
  const current = await leaseHolder(db, engine, LEASE);
  const over = current !== null && isDead(current.holder) ? current.holder : undefined;
  const lease = await takeLease(db, engine, { name: LEASE, holder, ttlMs: LEASE_MS, over });
  if (lease !== null) return ok(null);
  return err({
    kind: 'conflict',
    code: 'engine_running',
    message: 'Another engine already runs this workspace.',
    cause: `Held by ${current?.holder.split(' ').slice(0, 2).join(' pid ') ?? 'another process'}.`,
    remedy: 'convoy down stops it; a lost one is replaced after ten seconds.',
  });
}

/** A holder on this machine whose process is gone need not be waited for. */
function isDead(holder: string): boolean {
  const [host, pid, start] = holder.split(' ');
  return host === hostname() && processStart(Number(pid)) !== Number(start);
}

async function renew({ ledger }: Services, holder: string): Promise<boolean> {
  try {
    const lease = await takeLease(ledger.db, ledger.engine, {
      name: LEASE,
      holder,
      ttlMs: LEASE_MS,
    });
    return lease !== null;
  } catch {
    // Not being able to ask is not losing: the lease itself decides at the next try.
    return true;
  }
}

const HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The wished port, or a free one when it is taken and nobody insisted. */
async function listen(
  services: Services,
  instance: string,
  token: string,
  port: number,
  insists: boolean,
): Promise<Result<ServerType, Problem>> {
  const app = createApp(services, {
    hosts: HOSTS,
    instance,
    identify: async (request) => {
      const sent = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
      return sent !== undefined && sameToken(sent, token) ? 'operator' : null;
    },
  });
  const open = (wanted: number): Promise<ServerType> =>
    new Promise((resolve, reject) => {
      const server = serve({ fetch: app.fetch, hostname: LOOPBACK, port: wanted }, () =>
        resolve(server),
      );
      server.once('error', reject);
    });
  try {
    return ok(await open(port));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EADDRINUSE' && !insists) return ok(await open(0));
    if (code === 'EADDRINUSE') return err(portProblem('port_taken', port, 'is taken'));
    if (code === 'EACCES') return err(portProblem('port_forbidden', port, 'is not yours to use'));
    throw error;
  }
}

const portProblem = (code: string, port: number, why: string): Problem => ({
  kind: 'conflict',
  code,
  message: `Port ${port} ${why}.`,
  remedy: 'Choose another --port, or leave it out and a free one is taken.',
});

function urlOf(server: ServerType): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has such an address
  const { port } = server.address() as AddressInfo;
  return `http://${LOOPBACK}:${port}`;
}

function closed(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
}
