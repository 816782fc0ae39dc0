import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { createApp } from '../api/app.ts';
import type { Services } from '../api/context.ts';
import type { Environment } from '../config/environment.ts';
import type { Workspace } from '../config/workspace.ts';
import type { Problem } from '../contract/problem.ts';
import { dropLease, type Lease, leaseHolder, takeLease } from '../ledger/lease.ts';
import { fencedBy } from '../ledger/lease-fence.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Engine } from '../engine/engine.ts';
import { callersOf } from './callers.ts';
import { removeDaemonFile, writeDaemonFile } from './daemon-file.ts';
import { startLocalEngine } from './engine.ts';
import { type BindWish, type Exposure, exposureOf, withoutTokens } from './exposure.ts';
import { ledgerProblem } from './in-process.ts';
import { listen, type Listening } from './listen.ts';
import { processStart } from './process-start.ts';
import { openServices, type Variables } from './services.ts';
import { webhooksOf } from './webhooks.ts';

const LEASE = 'engine';
const LEASE_MS = 10_000;
const RENEW_MS = 3_000;

/** A running daemon: the holder of the engine, serving the API on loopback. */
export type Daemon = {
  readonly url: string;
  readonly instance: string;
  /** Resolves when the daemon has stopped for whatever reason. */
  readonly stopped: Promise<string>;
  /** With `agents` they end too, their work kept and their tasks open again. */
  stop(how?: { readonly agents: boolean }): Promise<void>;
};

export type ServeWish = {
  readonly version: string;
  readonly port: number | null;
  readonly launcher: readonly [string, ...string[]];
  readonly bind?: BindWish | undefined;
};

/** Takes the engine's lease and serves. Refuses when another engine holds it. */
export async function startDaemon(
  workspace: Workspace,
  env: Variables,
  settings: Environment,
  wish: ServeWish,
): Promise<Result<Daemon, Problem>> {
  const exposure = exposureOf(wish.bind, settings.webUrl);
  if (!exposure.ok) return exposure;
  const instance = randomUUID();
  const holder = [hostname(), process.pid, processStart(process.pid), instance].join(' ');
  const here: Here = { url: null, engine: null };
  const self = { version: wish.version, instance, engine: true };
  const opened = await openAt(here, workspace, env, settings, self);
  if (!opened.ok) return opened;
  const services = opened.value;
  const { ledger } = services;
  const as = { settings, wish, holder, exposure: exposure.value };
  const served = await serveAlone(services, env, as);
  if (!served.ok) {
    await ledger.close();
    return served;
  }
  const { url, outside, close, lease } = served.value;
  const shown = settings.webUrl ?? outside ?? url;
  here.url = shown;
  announce(workspace.dir, url, instance);
  const stopped = Promise.withResolvers<string>();
  const lost = Promise.withResolvers<void>();
  // The loops write only while nobody newer holds the lease; what callers ask for is theirs.
  const held = { ...services, ledger: fencedBy(ledger, lease, lost.resolve) };
  const engine = await startLocalEngine(held, env, url, wish.launcher);
  here.engine = engine;
  const { startShipping } = await import('./shipping.ts');
  const shipping = await startShipping(held, env, wish.launcher);
  let stopping: Promise<void> | null = null;
  const end = async (why: string, how?: { readonly agents: boolean }): Promise<void> => {
    clearInterval(renewal);
    removeDaemonFile(workspace.dir, instance);
    await engine.stop(how);
    await shipping.stop();
    await close();
    await dropLease(ledger.db, LEASE, holder).catch(() => {});
    await ledger.close();
    stopped.resolve(why);
  };
  const stop = (why: string, how?: { readonly agents: boolean }): Promise<void> =>
    (stopping ??= end(why, how));
  const renewal = renewing(services, lease, lost.resolve, () => {
    // Nobody can find or stop it any more, and what it writes nobody will read.
    if (!existsSync(workspace.dir)) void stop('its workspace is gone', { agents: true });
  });
  void lost.promise.then(() => stop('another engine took over'));
  return ok({
    url: shown,
    instance,
    stopped: stopped.promise,
    stop: (how) => stop('asked to stop', how),
  });
}

/** Takes the lease, then listens; gives the lease back when it cannot. */
async function serveAlone(
  services: Services,
  env: Variables,
  as: { settings: Environment; wish: ServeWish; holder: string; exposure: Exposure | null },
): Promise<Result<Listening & { readonly lease: Lease }, Problem>> {
  const { settings, wish, holder, exposure } = as;
  const { ledger } = services;
  const keyless = await withoutTokens(ledger, exposure, services.now());
  if (keyless !== null) return err(keyless);
  const lease = await takeEngine(services, holder);
  if (!lease.ok) return lease;
  const app = await createApp(
    services,
    callersOf(services, env, { exposure, webUrl: settings.webUrl }),
  );
  const listening = await listen(app.fetch, {
    port: wish.port ?? settings.port,
    insists: wish.port !== null,
    exposure,
  });
  if (listening.ok) return ok({ ...listening.value, lease: lease.value });
  await dropLease(ledger.db, LEASE, holder).catch(() => {});
  return listening;
}

/** Lets the commands of this machine find us. */
function announce(dir: string, url: string, instance: string): void {
  const start = processStart(process.pid) ?? 0;
  writeDaemonFile(dir, { pid: process.pid, start_time: start, url, instance });
}

/** What is known only later. */
type Here = { url: string | null; engine: Engine | null };

/** The address is known once there is a port; nobody can ask before. */
async function openAt(
  here: Here,
  workspace: Workspace,
  env: Variables,
  settings: Environment,
  self: Pick<Services, 'version' | 'instance' | 'engine'>,
): Promise<Result<Services, Problem>> {
  try {
    const opened = await openServices(workspace, env, settings, { ...self, dashboard: null });
    return ok({
      ...opened,
      webhooks: webhooksOf(opened, env, () => here.engine?.lookAtForges()),
      get dashboard() {
        return settings.webUrl ?? here.url;
      },
    });
  } catch (error) {
    return err(ledgerProblem(error, workspace));
  }
}

async function takeEngine(services: Services, holder: string): Promise<Result<Lease, Problem>> {
  const { db, engine } = services.ledger;
  const current = await leaseHolder(db, engine, LEASE);
  const over = current !== null && isDead(current.holder) ? current.holder : undefined;
  const lease = await takeLease(db, engine, { name: LEASE, holder, ttlMs: LEASE_MS, over });
  if (lease !== null) return ok(lease);
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

const renewing = (
  services: Services,
  lease: Lease,
  lost: () => void,
  look: () => void,
): NodeJS.Timeout =>
  setInterval(() => {
    look();
    void renew(services, lease).then((isHeld) => (isHeld ? undefined : lost()));
  }, RENEW_MS);

/** A lease that went to another and came back is another lease. */
async function renew({ ledger }: Services, { holder, fence }: Lease): Promise<boolean> {
  try {
    const wish = { name: LEASE, holder, ttlMs: LEASE_MS };
    const lease = await ledger.changes.quietly(() => takeLease(ledger.db, ledger.engine, wish));
    return lease?.fence === fence;
  } catch {
    // Not being able to ask is not losing: the lease itself decides at the next try.
    return true;
  }
}
