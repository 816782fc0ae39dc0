import type { AppMetrics } from './app-metrics.ts';
import { kindOf } from './load-stats.ts';
import type { LoadStats } from './load-stats.ts';
import { isSustained } from './sustained.ts';
import type { Breach, Thresholds, Verdict } from './verdict.ts';

/** What is known about a service after the load. */
export type ServiceEvidence = {
  readonly load: LoadStats;
  readonly app: AppMetrics | null;
  /** The status of the health path before the load, null when no path answered well. */
  readonly health: { readonly path: string; readonly status: number } | null;
  /** How the service ended during the load, null when it lives. */
  readonly died: string | null;
};

const FEWEST_SAMPLES = 10;
const SLOW_SHARE = 0.01;
const FEWEST_ERRORS = 2;

/** Judges a service by the worst of what we measured and what it says about itself. */
export function judgeService(evidence: ServiceEvidence, limits: Thresholds): Verdict {
  const breaches = [
    ...crash(evidence),
    ...health(evidence),
    ...errorRate(evidence, limits),
    ...latency(evidence, limits),
  ];
  if (breaches.length > 0) return { status: 'breach', breaches };
  return lackOfEvidence(evidence.load) ?? { status: 'healthy', why: summary(evidence) };
}

function crash({ died, load }: ServiceEvidence): Breach[] {
  if (died === null) return [];
  return [
    {
      what: 'crash',
      source: 'probe',
      limit: null,
      measured: null,
      samples: load.samples,
      message: `the service ended under load: ${died}`,
    },
  ];
}

function health({ health: found }: ServiceEvidence): Breach[] {
  if (found === null || kindOf(found.status) !== 'error') return [];
  return [
    {
      what: 'health',
      source: 'probe',
      limit: null,
      measured: found.status,
      samples: 1,
      message: `${found.path} answers ${found.status}`,
    },
  ];
}

function errorRate({ load, app }: ServiceEvidence, limits: Thresholds): Breach[] {
  const limit = limits.maxErrorRate;
  const found: Breach[] = [];
  if (load.errors >= Math.min(FEWEST_ERRORS, load.samples) && load.errorRate > limit)
    found.push({
      what: 'error-rate',
      source: 'probe',
      limit,
      measured: load.errorRate,
      samples: load.samples,
      message: `${load.errors} of ${load.samples} requests failed (${percent(load.errorRate)}, limit ${percent(limit)})`,
    });
  if (app?.errorRate != null && app.errorRate > limit)
    found.push({
      what: 'error-rate',
      source: app.source,
      limit,
      measured: app.errorRate,
      samples: app.requests ?? 0,
      message: `the service itself reports ${percent(app.errorRate)} errors (limit ${percent(limit)})`,
    });
  return found;
}

function latency({ load, app }: ServiceEvidence, limits: Thresholds): Breach[] {
  const limit = limits.maxP99Ms;
  const found: Breach[] = [];
  if (isSustained(load.slow, Math.max(load.samples, load.planned), SLOW_SHARE))
    found.push({
      what: 'p99',
      source: 'probe',
      limit,
      measured: load.p99,
      samples: load.samples,
      message: `p99 ${ms(load.p99)} (limit ${ms(limit)}): ${load.slow} of ${Math.max(load.samples, load.planned)} requests were slower`,
    });
  if (app !== null && appIsSlow(app, load, limit))
    found.push({
      what: 'p99',
      source: app.source,
      limit,
      measured: app.p99,
      samples: app.requests ?? 0,
      message: `the service itself reports p99 ${ms(app.p99 ?? 0)} (limit ${ms(limit)})`,
    });
  return found;
}

/** With counts the same rule as for our own samples; a bare figure is taken at its word. */
function appIsSlow(app: AppMetrics, load: LoadStats, limit: number): boolean {
  if (app.slow !== null && app.requests !== null)
    return isSustained(app.slow, app.requests, SLOW_SHARE);
  return app.p99 !== null && app.p99 > limit && load.samples >= FEWEST_SAMPLES;
}

function lackOfEvidence(load: LoadStats): Verdict | null {
  if (load.samples < FEWEST_SAMPLES)
    return {
      status: 'no-evidence',
      why: `only ${load.samples} requests were answered; at least ${FEWEST_SAMPLES} are needed`,
    };
  if (load.good === 0) {
    const statuses = [...new Set(load.paths.flatMap(({ statuses: own }) => Object.keys(own)))];
    return {
      status: 'no-evidence',
      why: `every request was answered ${statuses.toSorted().join(' or ')}: that proves a listener, not a working service; name a path that answers with --probe-path`,
    };
  }
  return null;
}

function summary({ load, app }: ServiceEvidence): string {
  const own = `${load.good} of ${load.samples} requests answered well, p99 ${ms(load.p99)}, ${percent(load.errorRate)} errors`;
  return app === null ? own : `${own}; its own ${app.source} metrics agree`;
}

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;
const ms = (value: number): string => `${Math.round(value)} ms`;
