import { randomBytes } from 'node:crypto';
import { compareReleases } from '../../domain/ship/rehearsal/compare.ts';
import type { ReleaseStats, Verdict } from '../../domain/ship/rehearsal/verdict.ts';
import type {
  Isolation,
  Rehearsal,
  RehearsalReport,
  RehearsalRequest,
  RehearsalTimeouts,
  TeardownReport,
} from '../../ports/rehearsal.ts';
import { endAll } from './end-all.ts';
import type { Family } from './family.ts';
import { findSandbox } from './isolation.ts';
import type { Sandbox } from './isolation.ts';
import { prepare } from './prepare.ts';
import { rowOf } from './process-table.ts';
import type { Row } from './process-table.ts';
import { rehearseService } from './rehearse-service.ts';
import { rehearseWorker } from './rehearse-worker.ts';
import { NOTHING_FOUND, note, record } from './run.ts';
import type { Run } from './run.ts';
import { clearAbandoned, openScratch } from './scratch.ts';

export type RehearsalOptions = {
  /** Where programs are looked for; the PATH of this process otherwise. */
  readonly path?: string;
  /** Where the throw-away copies live; the system's place for such things otherwise. */
  readonly scratchBase?: string;
  /** The isolation to use; the best that works otherwise. */
  readonly isolation?: Isolation;
};

const TIMEOUTS: RehearsalTimeouts = {
  installMs: 10 * 60_000,
  buildMs: 10 * 60_000,
  migrateMs: 2 * 60_000,
  readyMs: 60_000,
  graceMs: 3_000,
};

/** Rehearses on this machine. */
export function createRehearsal(options: RehearsalOptions = {}): Rehearsal {
  const outsidePath = options.path ?? process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  let sandboxFound: Promise<Sandbox> | null = null;
  return {
    run: async (request, on, signal) => {
      const from = performance.now();
      sandboxFound ??= findSandbox(outsidePath, options.isolation);
      const sandbox = await sandboxFound;
      await clearAbandoned(options.scratchBase);
      const scratch = await openScratch(randomBytes(8).toString('hex'), options.scratchBase);
      const run: Run = {
        request,
        timeouts: { ...TIMEOUTS, ...request.timeouts },
        on,
        signal,
        scratch,
        sandbox,
        outsidePath,
        families: [],
        closers: [],
        steps: [],
        notes: [],
        stores: [],
        variables: {},
        log: null,
        found: NOTHING_FOUND,
      };
      return rehearse(run, from);
    },
  };
}

async function rehearse(run: Run, from: number): Promise<RehearsalReport> {
  run.on({ kind: 'isolation', isolation: run.sandbox.isolation, note: run.sandbox.note });
  let verdict: Verdict | null = null;
  let teardown: TeardownReport;
  try {
    verdict = refusal(run.request, run.sandbox) ?? (await prepare(run)) ?? (await perform(run));
  } finally {
    // Also after a bug nothing may stay behind.
    teardown = await tearDown(run);
  }
  run.on({ kind: 'judged', verdict });
  return report(run, verdict, teardown, performance.now() - from);
}

function refusal(request: RehearsalRequest, sandbox: Sandbox): Verdict | null {
  if (rowOf(process.pid) === null)
    return {
      status: 'errored',
      step: 'copy',
      why: 'this system has no /proc, so it cannot be proved whose answers are heard; rehearse on Linux',
    };
  if (request.trust.repository || sandbox.isolation !== 'process group only') return null;
  return {
    status: 'errored',
    step: 'copy',
    why: `the repository is not trusted and this machine offers no isolation (${sandbox.note}); trust it explicitly or install bubblewrap`,
  };
}

async function perform(run: Run): Promise<Verdict> {
  if (run.request.lane.kind === 'infra')
    return { status: 'no-evidence', why: 'an infrastructure lane has nothing to start here' };
  return run.request.lane.kind === 'worker' ? rehearseWorker(run) : rehearseService(run);
}

async function tearDown(run: Run): Promise<TeardownReport> {
  const from = performance.now();
  run.on({ kind: 'step-started', step: 'teardown', command: null });
  const families = [run.scratch.newFamily(), ...run.families];
  const service = await endAll(() => everyone(families), run.timeouts.graceMs);
  const rest = await endAll(run.scratch.family.sweep, STORE_GRACE_MS);
  for (const close of run.closers) close();
  const left = [
    ...rest.left.map((row) => `process ${row.pid} (${row.name})`),
    ...(await run.scratch.release()),
  ];
  const endedWhenAsked = service.asked === 0 ? null : service.endedWhenAsked;
  if (endedWhenAsked === false)
    note(run, `the service did not end within ${run.timeouts.graceMs} ms when asked (SIGTERM)`);
  for (const what of left) note(run, `could not be removed: ${what}`);
  record(run, {
    step: 'teardown',
    command: null,
    directory: '.',
    ms: performance.now() - from,
    exit: null,
    outcome: left.length === 0 ? 'done' : 'failed',
  });
  return { endedWhenAsked, killed: service.killed + rest.killed, left };
}

const STORE_GRACE_MS = 2_000;

/** The first family looks everywhere, the others for those they have seen. */
function everyone([first, ...others]: readonly Family[]): Row[] {
  const rows = [...(first?.sweep() ?? []), ...others.flatMap((family) => family.members())];
  return [...new Map(rows.map((row) => [row.pid, row])).values()];
}

function report(
  run: Run,
  verdict: Verdict,
  teardown: TeardownReport,
  totalMs: number,
): RehearsalReport {
  const stats = releaseStats(run);
  const { previous } = run.request;
  return {
    lane: run.request.lane.name,
    verdict,
    isolation: run.sandbox.isolation,
    steps: run.steps,
    ...run.found,
    comparison: previous === null || stats === null ? null : compareReleases(previous, stats),
    stats,
    datastores: run.stores,
    notes: run.notes,
    logTail: run.log?.tail() ?? '',
    teardown,
    totalMs: Math.round(totalMs),
  };
}

function releaseStats({ found: { load, usage } }: Run): ReleaseStats | null {
  if (load === null) return null;
  const { p50, p95, p99, errorRate, samples } = load;
  return { p50, p95, p99, errorRate, samples, rssBytes: usage?.peakRssBytes ?? null };
}
