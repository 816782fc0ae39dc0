import type { LoadStats } from './load-stats.ts';

/** The steps of a rehearsal in their order; a lane has only those it needs. */
export type RehearsalStep =
  | 'copy'
  | 'datastores'
  | 'install'
  | 'build'
  | 'migrate'
  | 'start'
  | 'probe'
  | 'load'
  | 'teardown';

/**
 * What a rehearsal found out about a lane.
 *
 * `failed` is an answer of the service's own commands, `errored` means that the rehearsal itself
 * got none and may be tried again, `stopped` that somebody said so.
 */
export type Verdict =
  | { readonly status: 'healthy'; readonly why: string }
  | { readonly status: 'breach'; readonly breaches: readonly Breach[] }
  | { readonly status: 'no-evidence'; readonly why: string }
  | {
      readonly status: 'failed';
      readonly step: RehearsalStep;
      /** Null when it was ended by a signal or never ended. */
      readonly exit: number | null;
      readonly signal: string | null;
      readonly why: string;
      readonly logTail: string;
    }
  | { readonly status: 'missing-toolchain'; readonly missing: readonly string[] }
  | { readonly status: 'errored'; readonly step: RehearsalStep; readonly why: string }
  | { readonly status: 'stopped'; readonly step: RehearsalStep };

/** A limit that was passed, with its numbers. */
export type Breach = {
  readonly what: 'error-rate' | 'p99' | 'throughput' | 'health' | 'crash' | 'log-marker';
  readonly source: 'probe' | 'prometheus' | 'json' | 'log';
  readonly limit: number | null;
  readonly measured: number | null;
  readonly samples: number;
  readonly message: string;
};

export type Thresholds = { readonly maxErrorRate: number; readonly maxP99Ms: number };

/** The figures that a later rehearsal compares itself with. */
export type ReleaseStats = Pick<LoadStats, 'p50' | 'p95' | 'p99' | 'errorRate' | 'samples'> & {
  readonly rssBytes: number | null;
};
