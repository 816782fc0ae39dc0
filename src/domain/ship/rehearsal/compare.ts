import type { ReleaseStats } from './verdict.ts';

/** How a release differs from the one before it. */
export type Comparison = {
  readonly p50: Change;
  readonly p95: Change;
  readonly p99: Change;
  readonly errorRate: Change;
  readonly rssBytes: Change | null;
  /** What got worse by more than noise, in words. */
  readonly worse: readonly string[];
};
export type Change = { readonly before: number; readonly now: number };

const LATENCY = { factor: 1.5, atLeast: 20 };
const MEMORY = { factor: 1.5, atLeast: 32 * 1024 * 1024 };
const ERRORS = { factor: 1.5, atLeast: 0.01 };

/** Sets the figures of two releases side by side. */
export function compareReleases(before: ReleaseStats, now: ReleaseStats): Comparison {
  const change = (key: 'p50' | 'p95' | 'p99' | 'errorRate'): Change => ({
    before: before[key],
    now: now[key],
  });
  const rssBytes =
    before.rssBytes === null || now.rssBytes === null
      ? null
      : { before: before.rssBytes, now: now.rssBytes };
  const [p50, p95, p99, errorRate] = [
    change('p50'),
    change('p95'),
    change('p99'),
    change('errorRate'),
  ];
  const worse = [
    ...grown(p50, LATENCY, (at) => `p50 ${Math.round(at.before)} → ${Math.round(at.now)} ms`),
    ...grown(p95, LATENCY, (at) => `p95 ${Math.round(at.before)} → ${Math.round(at.now)} ms`),
    ...grown(p99, LATENCY, (at) => `p99 ${Math.round(at.before)} → ${Math.round(at.now)} ms`),
    ...grown(errorRate, ERRORS, (at) => `errors ${share(at.before)} → ${share(at.now)}`),
    ...(rssBytes === null
      ? []
      : grown(rssBytes, MEMORY, (at) => `memory ${mib(at.before)} → ${mib(at.now)} MiB`)),
  ];
  return { p50, p95, p99, errorRate, rssBytes, worse };
}

function grown(
  change: Change,
  noise: { readonly factor: number; readonly atLeast: number },
  words: (change: Change) => string,
): string[] {
  const isWorse =
    change.now > change.before * noise.factor && change.now - change.before >= noise.atLeast;
  return isWorse ? [words(change)] : [];
}

const share = (value: number): string => `${Math.round(value * 1000) / 10} %`;
const mib = (bytes: number): number => Math.round(bytes / 1024 / 1024);
