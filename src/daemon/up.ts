import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Environment, environment } from '../config/environment.ts';
import { findWorkspace, type Workspace } from '../config/workspace.ts';
import type { Problem } from '../contract/problem.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { problemOf } from './settings-problem.ts';
import { livingDaemon } from './daemon-file.ts';
import { processStart } from './process-start.ts';
import type { BindWish } from './exposure.ts';
import type { Daemon } from './serve.ts';
import type { Variables } from './services.ts';

export type UpWish = {
  readonly dir: string;
  readonly env: Variables;
  readonly port: number | null;
  readonly bind?: BindWish | undefined;
  readonly version: string;
  /** The command line that starts this very program again. */
  readonly launcher: readonly [string, ...string[]];
};

export type UpReport = { readonly url: string; readonly pid: number; readonly already: boolean };

/** Runs the engine in this process until it is asked to stop. */
export async function runDaemon(wish: UpWish): Promise<Result<Daemon, Problem>> {
  const place = placeOf(wish);
  if (!place.ok) return place;
  const { startDaemon } = await import('./serve.ts');
  return startDaemon(place.value.workspace, wish.env, place.value.env, wish);
}

const START_MS = 20_000;
const LOOK_MS = 25;
/** How long a rival that holds the engine may take until it answers. */
const RIVAL_MS = 3_000;

/** Starts the engine in a process of its own and returns when it answers. */
export async function detachDaemon(wish: UpWish): Promise<Result<UpReport, Problem>> {
  const place = placeOf(wish);
  if (!place.ok) return place;
  const { dir, root } = place.value.workspace;
  const running = livingDaemon(dir);
  if (running !== null) return ok({ url: running.url, pid: running.pid, already: true });
  const log = join(dir, 'logs', 'daemon.log');
  mkdirSync(join(dir, 'logs'), { recursive: true });
  const first = await begin(wish, { dir, root, log }, ROOMY);
  const { pid, answer } =
    first.answer === BAD_OPTION ? await begin(wish, { dir, root, log }, []) : first;
  if (typeof answer === 'object' && answer !== null)
    return ok({ url: answer.url, pid: answer.pid, already: answer.pid !== pid });
  // Someone else was quicker: theirs is as good as ours.
  const theirs = answer === 0 ? livingDaemon(dir) : null;
  if (theirs !== null) return ok({ url: theirs.url, pid: theirs.pid, already: true });
  return err({
    kind: 'unavailable',
    code: 'daemon_did_not_start',
    message: 'The daemon did not start.',
    cause: lastLines(log),
    remedy: `Read ${log}; convoy up in the foreground shows the same.`,
  });
}

/**
 * Node begins with a small heap and stops everything to look for garbage at every few megabytes until it has
 * grown; an engine grows just when many things happen at once.
 */
const ROOMY = ['--initial-old-space-size=128'];
/** How Node ends when it does not know an option. */
const BAD_OPTION = 9;

/** What came of a new process: where it answers, how it ended, or null when it does neither in time. */
async function begin(
  { launcher: [node, ...args], port, bind, env }: UpWish,
  { dir, root, log }: { dir: string; root: string; log: string },
  options: readonly string[],
) {
  const out = openSync(log, 'a', 0o600);
  const where = port === null ? [] : ['--port', String(port)];
  const up = ['-C', root, 'up', '--quiet', ...where, ...bindFlags(bind)];
  const child = spawn(node, [...options, ...args, ...up], {
    cwd: root,
    detached: true,
    stdio: ['ignore', out, out],
    env,
  });
  closeSync(out);
  const gone = new Promise<number>((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
    child.once('error', () => resolve(1));
  });
  const answer = await Promise.race([appears(dir, START_MS), gone]);
  child.unref();
  return { pid: child.pid, answer };
}

function bindFlags(bind: BindWish | undefined): string[] {
  if (bind === undefined) return [];
  const { host, tlsCert, tlsKey, insecure } = bind;
  return [
    ...(host === null ? [] : ['--host', host]),
    ...(tlsCert === null ? [] : ['--tls-cert', tlsCert]),
    ...(tlsKey === null ? [] : ['--tls-key', tlsKey]),
    ...(insecure ? ['--insecure'] : []),
  ];
}

/** The daemon that runs, given a moment to write down where it is; null when none does. */
export async function runningDaemon(wish: Pick<UpWish, 'dir' | 'env'>): Promise<UpReport | null> {
  const place = placeOf(wish);
  const daemon = place.ok ? await appears(place.value.workspace.dir, RIVAL_MS) : null;
  return daemon === null ? null : { url: daemon.url, pid: daemon.pid, already: true };
}

async function appears(
  dir: string,
  patienceMs: number,
): Promise<{ url: string; pid: number } | null> {
  for (
    const start = performance.now();
    performance.now() - start < patienceMs;
    await pause(LOOK_MS)
  ) {
    const daemon = livingDaemon(dir);
    if (daemon !== null) return daemon;
  }
  return null;
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').slice(-3).join(' ');
  } catch {
    return 'It wrote nothing.';
  }
}

const STOP_MS = 15_000;

/** Asks the daemon of a workspace to end, and waits until it has. */
export async function stopDaemon(
  wish: Pick<UpWish, 'dir' | 'env'>,
): Promise<Result<{ stopped: number | null }, Problem>> {
  const place = placeOf(wish);
  if (!place.ok) return place;
  const daemon = livingDaemon(place.value.workspace.dir);
  if (daemon === null) return ok({ stopped: null });
  process.kill(daemon.pid, 'SIGTERM');
  for (const start = performance.now(); performance.now() - start < STOP_MS; await pause(LOOK_MS))
    if (processStart(daemon.pid) !== daemon.start_time) return ok({ stopped: daemon.pid });
  return err({
    kind: 'unavailable',
    code: 'daemon_does_not_stop',
    message: `The daemon (pid ${daemon.pid}) does not end.`,
    remedy: `kill -9 ${daemon.pid}; nothing is lost by it.`,
  });
}

function placeOf(
  wish: Pick<UpWish, 'dir' | 'env'>,
): Result<{ workspace: Workspace; env: Environment }, Problem> {
  const env = environment(wish.env);
  if (!env.ok) return err(problemOf(env.error));
  if (env.value.token !== null)
    return err({
      kind: 'forbidden',
      code: 'token_only',
      message:
        'CONVOY_TOKEN is set: nothing but that token is used, and it starts and stops nothing.',
      remedy: 'Unset CONVOY_TOKEN to act as the operator.',
    });
  const workspace = findWorkspace(wish.dir);
  if (!workspace.ok) return err(problemOf(workspace.error, 'not_found'));
  return ok({ workspace: workspace.value, env: env.value });
}
