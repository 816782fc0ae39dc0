import { setTimeout as pause } from 'node:timers/promises';
import type { Verdict } from '../../domain/ship/rehearsal/verdict.ts';
import { hasShownSigns, judgeWorker } from '../../domain/ship/rehearsal/worker-evidence.ts';
import type { WorkerSigns } from '../../domain/ship/rehearsal/worker-evidence.ts';
import { watchUsage } from './monitor.ts';
import { record } from './run.ts';
import type { Run } from './run.ts';
import { startLane } from './start.ts';

const LOOK_MS = 50;
const ANY_SIGN: WorkerSigns = { markers: [], heartbeat: null, mayEnd: false };

/** Starts a worker and watches that it lives and says so; it answers no HTTP. */
export async function rehearseWorker(run: Run): Promise<Verdict> {
  const running = await startLane(run, null);
  if ('status' in running) return running;
  const { started, family, log, from } = running;
  const signs = run.request.lane.worker ?? ANY_SIGN;
  const usage = watchUsage(family);
  const aliveMs = (): number => performance.now() - from;
  // It has to live through the window; for its signs it may take as long as a service to be ready.
  const windowMs = Math.max(1, run.request.load.seconds) * 1000;
  const isOver = (): boolean =>
    started.outcome() !== null ||
    run.signal.aborted ||
    (aliveMs() >= windowMs &&
      (hasShownSigns(signs, log.text()) || aliveMs() >= run.timeouts.readyMs));
  while (!isOver()) await pause(aliveMs() < windowMs ? LOOK_MS : LOOK_MS * 5);
  run.found = { ...run.found, usage: usage.end() };
  const ended = started.outcome();
  log.flush();
  const verdict: Verdict = run.signal.aborted
    ? { status: 'stopped', step: 'start' }
    : judgeWorker(signs, { log: log.text(), aliveMs: aliveMs(), ended });
  record(run, {
    step: 'start',
    command: running.command,
    directory: run.request.lane.path,
    ms: aliveMs(),
    exit: ended?.exit ?? null,
    outcome: verdict.status === 'failed' ? 'failed' : run.signal.aborted ? 'stopped' : 'done',
  });
  return verdict.status === 'failed' ? { ...verdict, logTail: log.tail() } : verdict;
}
