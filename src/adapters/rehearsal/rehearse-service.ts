import { setTimeout as pause } from 'node:timers/promises';
import { appMetrics } from '../../domain/ship/rehearsal/app-metrics.ts';
import { judgeService } from '../../domain/ship/rehearsal/judge.ts';
import { loadStats } from '../../domain/ship/rehearsal/load-stats.ts';
import {
  chosenHealth,
  healthCandidates,
  loadPaths,
} from '../../domain/ship/rehearsal/probe-plan.ts';
import type { ProbeResult } from '../../domain/ship/rehearsal/probe-plan.ts';
import type { Verdict } from '../../domain/ship/rehearsal/verdict.ts';
import type { Readiness } from '../../ports/rehearsal.ts';
import { SHARED_NETWORK } from './enclosure.ts';
import { ask } from './http-probe.ts';
import { runLoad } from './load.ts';
import { watchUsage } from './monitor.ts';
import { waitForAnswer } from './readiness.ts';
import { note, record } from './run.ts';
import type { Run } from './run.ts';
import { freePort, isListening } from './sockets.ts';
import { startLane } from './start.ts';
import type { Running } from './start.ts';
import { whyNotReady } from './why-not-ready.ts';

const PROBE_MS = 5_000;

/** Starts a service, waits for its answer, probes it, loads it and judges. */
export async function rehearseService(run: Run): Promise<Verdict> {
  const { lane } = run.request;
  const askedPort = await freePort();
  const isShared = run.request.trust.network !== 'blocked';
  if (isShared && lane.port !== null && isListening(lane.port, SHARED_NETWORK.tables))
    note(run, `port ${lane.port}, which the lane names, is in use by another process`);
  const running = await startLane(run, askedPort);
  if ('status' in running) return running;
  const outcome = await waitForAnswer({
    started: running.started,
    family: running.family,
    askedPort,
    namedPort: lane.port,
    timeoutMs: run.timeouts.readyMs,
    signal: run.signal,
    network: running.network,
  });
  running.log.flush();
  recordStart(run, running, outcome.kind);
  if (outcome.kind !== 'ready') return whyNotReady(run, running, outcome);
  if (outcome.daemonised)
    note(run, 'the start command ended and left the service in the background');
  return judgeRunning(run, running, outcome.readiness);
}

function recordStart(run: Run, running: Running, kind: string): void {
  const outcomes = { ready: 'done', stopped: 'stopped', silent: 'timed-out' } as const;
  record(run, {
    step: 'start',
    command: running.command,
    directory: run.request.lane.path,
    ms: performance.now() - running.from,
    exit: running.started.outcome()?.exit ?? null,
    outcome: Object.entries(outcomes).find(([key]) => key === kind)?.[1] ?? 'failed',
  });
}

async function judgeRunning(run: Run, running: Running, readiness: Readiness): Promise<Verdict> {
  const { thresholds, probePaths } = run.request;
  run.found = { ...run.found, readiness };
  run.on({ kind: 'ready', url: readiness.url, ms: readiness.ms });
  if (readiness.portMismatch)
    note(
      run,
      `the service ignores PORT=${readiness.askedPort} and listens on ${readiness.port}: a platform that assigns a port will not reach it`,
    );
  const { probes, health } = await probe(run, running, readiness);
  run.found = { ...run.found, probes, healthPath: isGood(health) ? health.path : null };
  if (run.signal.aborted) return { status: 'stopped', step: 'probe' };
  const before = await metricsPage(running, readiness.url);
  const loaded = await load(run, running, readiness, loadPaths(probePaths, health?.path ?? null));
  if (run.signal.aborted) return { status: 'stopped', step: 'load' };
  const after = await metricsPage(running, readiness.url);
  const app = appMetrics({ before, after }, thresholds.maxP99Ms);
  run.found = { ...run.found, app };
  return judgeService({ load: loaded.stats, app, health, died: loaded.died }, thresholds);
}

type Health = ReturnType<typeof chosenHealth>;

const isGood = (health: Health): health is NonNullable<Health> =>
  health !== null && health.status < 400;

/** Asks the candidates; a lane's own health path gets time to turn well. */
async function probe(run: Run, running: Running, readiness: Readiness) {
  const from = performance.now();
  run.on({ kind: 'step-started', step: 'probe', command: null });
  const deadline = running.from + run.timeouts.readyMs;
  let probes = await askAll(run, running, readiness.url);
  let health = chosenHealth(run.request.lane.healthPath, probes);
  const isLost = (): boolean =>
    run.signal.aborted || running.started.outcome() !== null || performance.now() >= deadline;
  while (health !== null && !isGood(health) && !isLost()) {
    await pause(100);
    probes = await askAll(run, running, readiness.url);
    health = chosenHealth(run.request.lane.healthPath, probes);
  }
  for (const result of probes) run.on({ kind: 'probed', result });
  record(run, timed('probe', from));
  return { probes, health };
}

async function askAll(run: Run, running: Running, url: string): Promise<ProbeResult[]> {
  const { lane, probePaths } = run.request;
  const probes: ProbeResult[] = [];
  for (const path of healthCandidates(lane.healthPath, probePaths)) {
    const answer = await ask(url + path, PROBE_MS, running.network);
    probes.push({ path, status: answer?.status ?? null, ms: Math.round(answer?.ms ?? PROBE_MS) });
  }
  return probes;
}

async function load(run: Run, running: Running, readiness: Readiness, paths: readonly string[]) {
  const { thresholds, load: wanted } = run.request;
  const from = performance.now();
  run.on({ kind: 'step-started', step: 'load', command: null });
  const over = new AbortController();
  let hasDied = false;
  if (running.started.outcome() === null)
    void running.started.ended.then(() => {
      hasDied = !over.signal.aborted;
      return over.abort();
    });
  let usage = watchUsage(running.family);
  const result = await runLoad({
    url: readiness.url,
    paths,
    load: wanted,
    answerMs: Math.min(10_000, Math.max(2_000, thresholds.maxP99Ms * 2)),
    signal: AbortSignal.any([over.signal, run.signal]),
    network: running.network,
    onWarm: () => {
      usage.end();
      usage = watchUsage(running.family);
    },
  });
  const stats = loadStats(result.samples, result.planned, thresholds.maxP99Ms);
  run.found = { ...run.found, load: stats, usage: usage.end() };
  const died = hasDied ? endOf(running) : null;
  over.abort();
  record(run, timed('load', from));
  return { stats, died };
}

function endOf(running: Running): string {
  const ended = running.started.outcome();
  return ended?.exit == null ? `signal ${ended?.signal ?? '?'}` : `exit ${ended.exit}`;
}

const timed = (step: 'probe' | 'load', from: number) => ({
  step,
  command: null,
  directory: '.',
  ms: performance.now() - from,
  exit: null,
  outcome: 'done' as const,
});

async function metricsPage(running: Running, url: string): Promise<string | null> {
  const answer = await ask(`${url}/metrics`, PROBE_MS, running.network);
  return answer?.status === 200 ? answer.body : null;
}
