/** One answer of the service under load, or the lack of one. */
export type LoadSample = {
  readonly path: string;
  /** Zero when no HTTP answer came. */
  readonly status: number;
  readonly ms: number;
};

/** What the load showed; latencies in milliseconds over everything that was answered. */
export type LoadStats = {
  /** Arrivals that the rate asked for. */
  readonly planned: number;
  readonly samples: number;
  /** Answers that prove something: 2xx and 3xx. */
  readonly good: number;
  /** 5xx, 429 and requests that got no answer. */
  readonly errors: number;
  /** Other 4xx: neither success nor failure, no evidence. */
  readonly unproven: number;
  readonly errorRate: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  /** Samples slower than the limit, and arrivals that found every connection still waiting. */
  readonly slow: number;
  readonly paths: readonly PathStats[];
};

export type PathStats = {
  readonly path: string;
  readonly samples: number;
  readonly p99: number;
  /** How often each status came; 0 stands for no answer. */
  readonly statuses: Readonly<Record<string, number>>;
};

// The generator's own timers lose a few arrivals at the edges of the window.
const MISSED_AT_EDGES = 0.1;

/** Sums up a window of load. */
export function loadStats(
  samples: readonly LoadSample[],
  planned: number,
  maxP99Ms: number,
): LoadStats {
  const kinds = samples.map((sample) => kindOf(sample.status));
  const errors = kinds.filter((kind) => kind === 'error').length;
  const answered = sorted(samples.filter(({ status }) => status !== 0));
  const missed = Math.max(0, planned - samples.length);
  return {
    planned,
    samples: samples.length,
    good: kinds.filter((kind) => kind === 'good').length,
    errors,
    unproven: kinds.filter((kind) => kind === 'unproven').length,
    errorRate: samples.length === 0 ? 0 : errors / samples.length,
    p50: percentile(answered, 0.5),
    p95: percentile(answered, 0.95),
    p99: percentile(answered, 0.99),
    max: answered.at(-1) ?? 0,
    slow:
      answered.filter((ms) => ms > maxP99Ms).length +
      (missed > planned * MISSED_AT_EDGES ? missed : 0),
    paths: byPath(samples),
  };
}

/** What a status says about the service. */
export function kindOf(status: number): 'good' | 'unproven' | 'error' {
  if (status >= 200 && status < 400) return 'good';
  if (status === 429 || status < 100 || status >= 500) return 'error';
  return 'unproven';
}

/** The nearest-rank percentile of ascending values, 0 when there are none. */
export function percentile(ascending: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(ascending.length * share));
  return ascending[rank - 1] ?? 0;
}

function sorted(samples: readonly LoadSample[]): number[] {
  return samples.map((sample) => Math.round(sample.ms * 10) / 10).toSorted((a, b) => a - b);
}

function byPath(samples: readonly LoadSample[]): PathStats[] {
  return [...Map.groupBy(samples, (sample) => sample.path)].map(([path, own]) => ({
    path,
    samples: own.length,
    p99: percentile(sorted(own.filter(({ status }) => status !== 0)), 0.99),
    statuses: Object.fromEntries(
      [...Map.groupBy(own, (sample) => String(sample.status))].map(([status, hits]) => [
        status,
        hits.length,
      ]),
    ),
  }));
}
