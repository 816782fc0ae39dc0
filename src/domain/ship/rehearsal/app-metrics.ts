/** What an application says about itself; null where it says nothing. */
export type AppMetrics = {
  readonly source: 'prometheus' | 'json';
  readonly errorRate: number | null;
  readonly p99: number | null;
  /** Requests behind the figures, and how many were slower than the limit as far as buckets tell. */
  readonly requests: number | null;
  readonly slow: number | null;
};

/** A reading of the metrics page before and after the load. */
export type MetricsPages = { readonly before: string | null; readonly after: string | null };

/**
 * Reads known figures from a metrics page, null when there are none.
 *
 * Counters and histograms count from the start of the process, so the load's own part is the
 * difference of two readings.
 */
export function appMetrics(pages: MetricsPages, maxP99Ms: number): AppMetrics | null {
  if (pages.after === null) return null;
  const json = asJson(pages.after);
  if (json !== undefined) return fromJson(json);
  return fromPrometheus(difference(series(pages.after), series(pages.before ?? '')), maxP99Ms);
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ERROR_RATE_KEYS = ['error_rate', 'errorrate'];
const P99_KEYS = ['p99', 'p99_ms', 'p99ms', 'latency_p99', 'latency_p99_ms', 'latencyp99'];
const REQUEST_KEYS = ['requests', 'request_count', 'requestcount', 'requests_total', 'total'];
const ERROR_KEYS = ['errors', 'error_count', 'errorcount', 'errors_total'];

function fromJson(value: unknown): AppMetrics | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const flat = new Map<string, number>();
  flatten(value, flat, 0);
  const requests = firstOf(flat, REQUEST_KEYS);
  const errors = firstOf(flat, ERROR_KEYS);
  const counted = requests !== null && requests > 0 && errors !== null ? errors / requests : null;
  const errorRate = firstOf(flat, ERROR_RATE_KEYS) ?? counted;
  const p99 = firstOf(flat, P99_KEYS);
  if (errorRate === null && p99 === null) return null;
  return { source: 'json', errorRate, p99, requests, slow: null };
}

function flatten(value: object, into: Map<string, number>, depth: number): void {
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'number' && Number.isFinite(inner) && inner >= 0) {
      if (!into.has(key.toLowerCase())) into.set(key.toLowerCase(), inner);
    } else if (typeof inner === 'object' && inner !== null && depth < 3)
      flatten(inner, into, depth + 1);
  }
}

function firstOf(flat: ReadonlyMap<string, number>, keys: readonly string[]): number | null {
  const key = keys.find((name) => flat.has(name));
  return key === undefined ? null : (flat.get(key) ?? null);
}

type Series = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+([^\s]+)(?:\s+-?\d+)?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

function series(text: string): Map<string, Series> {
  const found = new Map<string, Series>();
  for (const line of text.split('\n')) {
    const match = LINE.exec(line.trim());
    if (match === null) continue;
    const value = match[3] === '+Inf' ? Infinity : Number(match[3]);
    if (Number.isNaN(value)) continue;
    const labels = Object.fromEntries(
      [...(match[2] ?? '').matchAll(LABEL)].map((label) => [label[1] ?? '', label[2] ?? '']),
    );
    found.set(`${match[1]}{${match[2] ?? ''}}`, { name: match[1] ?? '', labels, value });
  }
  return found;
}

/** Quantiles are no counters; everything else that is used here only grows. */
function difference(after: Map<string, Series>, before: Map<string, Series>): Series[] {
  return [...after].map(([key, now]) => {
    const then = 'quantile' in now.labels ? 0 : (before.get(key)?.value ?? 0);
    return { ...now, value: now.value >= then ? now.value - then : now.value };
  });
}

const REQUEST_COUNTER = /^(?:.*_)?(?:http_(?:server_)?)?requests_total$|^http_.*requests?_count$/;
const DURATION = /^(?:.*_)?(?:http_|request_|requests_|server_)\w*(?:duration|latency)\w*$/;

function fromPrometheus(all: readonly Series[], maxP99Ms: number): AppMetrics | null {
  const counters = errorRateOf(all) ?? { rate: null, requests: null };
  const histogram = histogramOf(all, maxP99Ms) ?? { p99: null, count: null, slow: null };
  const p99 = histogram.p99 ?? quantileOf(all);
  if (counters.rate === null && p99 === null) return null;
  return {
    source: 'prometheus',
    errorRate: counters.rate,
    p99,
    requests: histogram.count ?? counters.requests,
    slow: histogram.slow,
  };
}

function errorRateOf(all: readonly Series[]): { rate: number; requests: number } | null {
  const counters = all.filter(
    ({ name, labels }) => REQUEST_COUNTER.test(name) && statusOf(labels) !== undefined,
  );
  const requests = sum(counters);
  if (requests <= 0) return null;
  const failed = sum(counters.filter(({ labels }) => statusOf(labels)?.startsWith('5') === true));
  return { rate: failed / requests, requests };
}

const statusOf = (labels: Readonly<Record<string, string>>): string | undefined =>
  labels['status'] ?? labels['code'] ?? labels['status_code'] ?? labels['http_status_code'];

const sum = (all: readonly Series[]): number => all.reduce((total, { value }) => total + value, 0);

type Histogram = { readonly p99: number; readonly count: number; readonly slow: number };

function histogramOf(all: readonly Series[], maxP99Ms: number): Histogram | null {
  const buckets = new Map<number, number>();
  for (const { name, labels, value } of all) {
    if (!name.endsWith('_bucket') || !DURATION.test(name.slice(0, -'_bucket'.length))) continue;
    const le = labels['le'] === '+Inf' ? Infinity : Number(labels['le']) * scaleOf(name);
    if (!Number.isNaN(le)) buckets.set(le, (buckets.get(le) ?? 0) + value);
  }
  const ladder = [...buckets].toSorted(([a], [b]) => a - b);
  const count = ladder.at(-1)?.[1] ?? 0;
  if (count <= 0) return null;
  const slow = Math.floor(count - countUpTo(ladder, maxP99Ms));
  return { p99: interpolated(ladder, count * 0.99), count, slow };
}

type Ladder = readonly (readonly [le: number, cumulative: number])[];

function countUpTo(ladder: Ladder, limit: number): number {
  let [floor, below] = [0, 0];
  for (const [le, cumulative] of ladder) {
    // Nothing is known of what lies beyond the last bound.
    if (le >= limit)
      return le === Infinity
        ? below
        : below + (cumulative - below) * ((limit - floor) / (le - floor));
    [floor, below] = [le, cumulative];
  }
  return below;
}

function interpolated(ladder: Ladder, rank: number): number {
  let [floor, below] = [0, 0];
  for (const [le, cumulative] of ladder) {
    if (cumulative >= rank) {
      if (le === Infinity) return floor;
      return floor + (le - floor) * ((rank - below) / Math.max(1, cumulative - below));
    }
    [floor, below] = [le, cumulative];
  }
  return floor;
}

function quantileOf(all: readonly Series[]): number | null {
  const found = all.filter(
    ({ name, labels, value }) =>
      labels['quantile'] === '0.99' && DURATION.test(name) && Number.isFinite(value),
  );
  return found.length === 0
    ? null
    : Math.max(...found.map(({ name, value }) => value * scaleOf(name)));
}

/** Prometheus counts in seconds unless the name says otherwise. */
const scaleOf = (name: string): number =>
  /(?:_ms|_milliseconds|_millis)(?:_bucket)?$/.test(name) ? 1 : 1000;
