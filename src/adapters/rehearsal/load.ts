import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { LoadSample } from '../../domain/ship/rehearsal/load-stats.ts';
import type { Network } from './enclosure.ts';
import type { RehearsalLoad } from '../../ports/rehearsal.ts';

export type LoadRun = {
  readonly url: string;
  readonly paths: readonly string[];
  readonly load: RehearsalLoad;
  /** How long an answer may take before it counts as none. */
  readonly answerMs: number;
  /** Ends the load early: the service died or somebody said stop. */
  readonly signal: AbortSignal;
  /** Called once when the warm-up is over. */
  readonly onWarm: () => void;
  readonly network: Network;
};

export type LoadResult = { readonly samples: readonly LoadSample[]; readonly planned: number };

// A service that answers nothing must not cost us a socket per request for ever.
const MOST_WAITING = 1_000;

/**
 * Loads the paths at a constant arrival rate and collects a sample per request of the window.
 *
 * Requests leave when they are due, whether or not earlier ones were answered, so a slow answer
 * hides no other (no coordinated omission). Written here because the load generators at hand send
 * each second's share in one burst, keep idle connections open that starve a server with one
 * thread, and take no notice of answers that end with the connection.
 */
export async function runLoad(run: LoadRun): Promise<LoadResult> {
  const { rate, seconds, warmupSeconds } = run.load;
  const agent = agentFor(run);
  const open = new Set<Promise<void>>();
  const samples: LoadSample[] = [];
  const warm = Math.round(rate * warmupSeconds);
  const total = warm + Math.max(1, Math.round(rate * seconds));
  const from = performance.now();
  let sent = 0;
  for (; sent < total && !run.signal.aborted; sent++) {
    await until(from + (sent * 1000) / rate, run.signal);
    if (sent === warm) run.onWarm();
    if (run.signal.aborted) break;
    if (open.size >= MOST_WAITING) continue;
    const path = run.paths[sent % run.paths.length] ?? '/';
    const counts = sent >= warm;
    const one: Promise<void> = collect(run, agent, path, counts ? samples : []).finally(() =>
      open.delete(one),
    );
    open.add(one);
  }
  await Promise.all(open);
  agent.destroy();
  return { samples, planned: Math.max(0, sent - warm) };
}

function agentFor({ url, network: { connect } }: LoadRun): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 64 });
  if (connect === null) return agent;
  const { port, hostname } = new URL(url);
  const host = hostname.replaceAll(/[[\]]/g, '');
  return Object.assign(agent, { createConnection: () => connect(Number(port), host) });
}

async function until(due: number, signal: AbortSignal): Promise<void> {
  const wait = due - performance.now();
  if (wait > 0.5) await pause(wait, undefined, { signal }).catch(() => {});
}

async function collect(
  run: LoadRun,
  agent: Agent,
  path: string,
  into: LoadSample[],
): Promise<void> {
  into.push(await send(run, agent, path));
}

async function send(run: LoadRun, agent: Agent, path: string): Promise<LoadSample> {
  const from = performance.now();
  const status = (await once(run, agent, path)) ?? (await once(run, agent, path));
  return { path, status: status ?? 0, ms: performance.now() - from };
}

/** The status, 0 for no answer, null when only an idle connection had been closed meanwhile. */
async function once(run: LoadRun, agent: Agent, path: string): Promise<number | null> {
  return new Promise((resolve) => {
    const call = request(
      run.url + path,
      { agent, headers: { 'user-agent': 'convoy-rehearsal', accept: '*/*' } },
      (response) => {
        response.resume();
        response.on('end', () => finish(response.statusCode ?? 0));
        response.on('error', () => finish(0));
        response.on('close', () => finish(response.complete ? (response.statusCode ?? 0) : 0));
      },
    );
    const stop = (): void => void call.destroy();
    const limit = setTimeout(stop, run.answerMs);
    const finish = (status: number | null): void => {
      clearTimeout(limit);
      run.signal.removeEventListener('abort', stop);
      resolve(status);
    };
    run.signal.addEventListener('abort', stop, { once: true });
    call.on('error', (error: NodeJS.ErrnoException) =>
      finish(call.reusedSocket && error.code === 'ECONNRESET' ? null : 0),
    );
    call.end();
  });
}
