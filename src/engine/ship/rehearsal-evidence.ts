import type { Evidence, Stage } from '../../domain/ship/medic/evidence.ts';
import type { PlanLane, PlanThresholds } from '../../domain/ship/plan/plan.ts';
import type { RehearsalStep, Verdict } from '../../domain/ship/rehearsal/verdict.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { RehearsalReport } from '../../ports/rehearsal.ts';
import type { Previous } from './previous-release.ts';
import type { Facts } from './voyage.ts';

const LOG_TAIL = 4_000;

/** What is kept of a rehearsal in the journal. */
export function rehearsalFacts(report: RehearsalReport, previous: Previous | null): Facts {
  return {
    verdict: report.verdict.status,
    why: whyOf(report.verdict),
    isolation: report.isolation,
    health_path: report.healthPath,
    ready_ms: report.readiness?.ms ?? null,
    steps: report.steps.map(({ step, command, ms, exit, outcome }) => ({
      step,
      command,
      ms: Math.round(ms),
      exit,
      outcome,
    })),
    load: report.load,
    usage: report.usage,
    stats: report.stats,
    comparison:
      report.comparison === null ? null : { with: previous?.run ?? null, ...report.comparison },
    migrations: report.migrations,
    datastores: report.datastores,
    notes: report.notes,
    log_tail: report.logTail.slice(-LOG_TAIL),
    total_ms: Math.round(report.totalMs),
  };
}

/** The verdict as a sentence. */
export function whyOf(verdict: Verdict): string {
  switch (verdict.status) {
    case 'healthy':
    case 'no-evidence':
    case 'errored':
    case 'failed':
      return verdict.why;
    case 'breach':
      return verdict.breaches.map(({ message }) => message).join('; ');
    case 'missing-toolchain':
      return `This machine lacks ${verdict.missing.join(', ')}`;
    case 'stopped':
      return `Stopped during ${verdict.step}`;
    default:
      return unreachable(verdict);
  }
}

/** The same as the medic wants it. */
export function medicEvidence(
  lane: PlanLane,
  report: RehearsalReport,
  given: {
    readonly env: readonly string[];
    readonly changed: readonly string[];
    readonly thresholds: PlanThresholds;
    readonly ownedFiles: readonly string[];
    readonly previous: Previous | null;
  },
): Evidence {
  const { verdict, readiness } = report;
  const step = failingStep(verdict, report);
  const last = report.steps.findLast((each) => each.step === step);
  const { max_error_rate: maxErrorRate, max_p99_ms: maxP99Ms } = given.thresholds;
  return {
    lane: lane.name,
    lanePath: lane.path,
    stage: STAGE_OF[step],
    command: last?.command ?? commandOf(lane, step),
    cwd: null,
    exit:
      verdict.status === 'failed' && last?.outcome !== 'timed-out'
        ? { code: verdict.exit, signal: verdict.signal }
        : null,
    timedOutMs: last?.outcome === 'timed-out' ? last.ms : null,
    log: report.logTail,
    probes: probesOf(report, { maxErrorRate, maxP99Ms }),
    port: {
      expected: readiness?.askedPort ?? lane.port,
      listening: readiness === null ? [] : [readiness.port],
    },
    resources:
      report.usage === null
        ? null
        : {
            rssMb: Math.round(report.usage.peakRssBytes / (1024 * 1024)),
            limitMb: null,
            cpu: report.usage.cpuCores,
          },
    env: { needed: lane.secrets, given: given.env },
    changes: given.changed.map((file) => ({ file, added: [] })),
    previous: before(given.previous),
    ownedFiles: given.ownedFiles,
  };
}

const before = (previous: Previous | null): Evidence['previous'] =>
  previous && {
    release: previous.run,
    p99: previous.stats.p99,
    errorRate: previous.stats.errorRate,
  };

type Limits = Evidence['probes'][number]['thresholds'];

/** What the load saw, or where there was none, the single looks before it. */
function probesOf(
  { load, probes }: RehearsalReport,
  thresholds: Limits,
): readonly Evidence['probes'][number][] {
  if (load !== null)
    return load.paths.map(({ path, samples, p99, statuses }) => ({
      path,
      statuses,
      samples,
      p50: load.p50,
      p95: load.p95,
      p99,
      errorRate: samples === 0 ? load.errorRate : errorsIn(statuses) / samples,
      thresholds,
    }));
  return probes.map(({ path, status }) => ({
    path,
    statuses: { [String(status ?? 0)]: 1 },
    samples: 1,
    p50: null,
    p95: null,
    p99: null,
    errorRate: status !== null && status < 500 ? 0 : 1,
    thresholds,
  }));
}

const errorsIn = (statuses: Readonly<Record<string, number>>): number =>
  Object.entries(statuses).reduce(
    (sum, [status, times]) =>
      sum + (status === '0' || status === '429' || Number(status) >= 500 ? times : 0),
    0,
  );

const STAGE_OF: Readonly<Record<RehearsalStep, Stage>> = {
  copy: 'install',
  datastores: 'start',
  install: 'install',
  build: 'build',
  migrate: 'start',
  start: 'start',
  probe: 'ready',
  load: 'load',
  teardown: 'load',
};

function failingStep(verdict: Verdict, report: RehearsalReport): RehearsalStep {
  if ('step' in verdict) return verdict.step;
  if (verdict.status === 'missing-toolchain') return 'install';
  return report.load === null ? 'probe' : 'load';
}

function commandOf(lane: PlanLane, step: RehearsalStep): string {
  if (step === 'install') return lane.install ?? '';
  return (step === 'build' ? lane.build : lane.start) ?? '';
}
