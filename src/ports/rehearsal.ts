import type { AppMetrics } from '../domain/ship/rehearsal/app-metrics.ts';
import type { Comparison } from '../domain/ship/rehearsal/compare.ts';
import type { LoadStats } from '../domain/ship/rehearsal/load-stats.ts';
import type { ProbeResult } from '../domain/ship/rehearsal/probe-plan.ts';
import type {
  ReleaseStats,
  RehearsalStep,
  Thresholds,
  Verdict,
} from '../domain/ship/rehearsal/verdict.ts';
import type { PortBinding } from '../domain/ship/scan/lane.ts';
import type { WorkerSigns } from '../domain/ship/rehearsal/worker-evidence.ts';

/** Installs, builds, starts and loads a service in a throw-away copy, and leaves nothing behind. */
export interface Rehearsal {
  /**
   * Resolves with a report whatever happens to the service; everything it started is gone by then.
   * Rejects only for a bug. `on` hears of each event in order, the last one before it resolves.
   */
  run(
    request: RehearsalRequest,
    on: (event: RehearsalEvent) => void,
    signal: AbortSignal,
  ): Promise<RehearsalReport>;
}

export type RehearsalRequest = {
  /** The working tree, absolute. It is read and never written. */
  readonly root: string;
  readonly lane: RehearsalLane;
  /** Exactly these variables are added to the scrubbed environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Files that stand in the copy instead of, or besides, those of the tree. */
  readonly overlay?: readonly { readonly path: string; readonly content: string }[];
  /** Values that must appear in no output, though the service is not given them. */
  readonly secrets?: readonly string[];
  readonly thresholds: Thresholds;
  readonly load: RehearsalLoad;
  /** Paths to probe and load; empty: the health path. */
  readonly probePaths: readonly string[];
  readonly previous: ReleaseStats | null;
  readonly trust: RehearsalTrust;
  readonly timeouts?: Partial<RehearsalTimeouts>;
};

export type RehearsalLane = {
  readonly name: string;
  /** Relative to the root, `.` for the root itself. */
  readonly path: string;
  readonly kind: 'backend' | 'worker' | 'frontend' | 'infra';
  readonly ecosystem: string;
  /** Command lines of the repository's owner, run with `sh -c`; null: there is none. */
  readonly install: string | null;
  readonly build: string | null;
  readonly start: string | null;
  /** The package script behind a command; it is preferred, so that hooks run as the owner meant. */
  readonly buildVia?: string | null;
  readonly startVia?: string | null;
  /** Variables that its start command sets for itself; what the caller gives wins. */
  readonly startEnv?: Readonly<Record<string, string>>;
  /** How it learns which port to listen on; PORT is always set. */
  readonly portBinding?: PortBinding | null;
  /** Run on the throw-away data store before the start, never on one that was given. */
  readonly migrate?: string | null;
  /** Where a static build ends up, relative to the lane. */
  readonly output?: string | null;
  readonly port: number | null;
  readonly healthPath: string | null;
  readonly datastores: readonly string[];
  readonly worker?: WorkerSigns;
};

/** Requests per second at a constant rate; the warm-up does not count. */
export type RehearsalLoad = {
  readonly rate: number;
  readonly seconds: number;
  readonly warmupSeconds: number;
};

/** What the caller has decided about somebody else's code. */
export type RehearsalTrust = {
  /** False: only a machine with real isolation may run it. */
  readonly repository: boolean;
  /** `blocked`: the started service reaches nothing but itself and its throw-away data stores. */
  readonly network?: 'shared' | 'blocked';
};

export type RehearsalTimeouts = {
  readonly installMs: number;
  readonly buildMs: number;
  readonly migrateMs: number;
  readonly readyMs: number;
  /** Between asking the service to end and making it end. */
  readonly graceMs: number;
};

export type Isolation = 'bubblewrap' | 'namespaces' | 'process group only';

export type RehearsalEvent =
  | { readonly kind: 'isolation'; readonly isolation: Isolation; readonly note: string }
  | { readonly kind: 'step-started'; readonly step: RehearsalStep; readonly command: string | null }
  | { readonly kind: 'step-ended'; readonly step: RehearsalStep; readonly report: StepReport }
  /** Redacted; bounded per step, so a flood of output is not a flood of events. */
  | { readonly kind: 'output'; readonly step: RehearsalStep; readonly text: string }
  | { readonly kind: 'ready'; readonly url: string; readonly ms: number }
  | { readonly kind: 'probed'; readonly result: ProbeResult }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'judged'; readonly verdict: Verdict };

export type StepReport = {
  readonly step: RehearsalStep;
  readonly command: string | null;
  /** Relative to the root of the copy. */
  readonly directory: string;
  readonly ms: number;
  readonly exit: number | null;
  readonly outcome: 'done' | 'failed' | 'timed-out' | 'stopped';
};

export type RehearsalReport = {
  readonly lane: string;
  readonly verdict: Verdict;
  readonly isolation: Isolation;
  readonly steps: readonly StepReport[];
  readonly readiness: Readiness | null;
  /** The path that promote and observe use; null when none answered well. */
  readonly healthPath: string | null;
  readonly probes: readonly ProbeResult[];
  readonly load: LoadStats | null;
  readonly app: AppMetrics | null;
  readonly usage: ResourceUsage | null;
  readonly comparison: Comparison | null;
  /** For the next release to compare with. */
  readonly stats: ReleaseStats | null;
  readonly migrations: 'applied' | 'failed' | 'none';
  readonly datastores: readonly DatastoreReport[];
  readonly notes: readonly string[];
  /** The end of the output of the step that matters most, redacted. */
  readonly logTail: string;
  readonly teardown: TeardownReport;
  readonly totalMs: number;
};

export type Readiness = {
  readonly ms: number;
  readonly url: string;
  /** The port that was handed over as PORT. */
  readonly askedPort: number;
  readonly port: number;
  readonly portMismatch: boolean;
};

export type ResourceUsage = {
  readonly peakRssBytes: number;
  /** Cores in use on average during the load. */
  readonly cpuCores: number;
  readonly processes: number;
};

export type DatastoreReport = {
  readonly name: string;
  readonly state: 'started' | 'given' | 'missing' | 'not-needed';
  readonly note: string;
};

export type TeardownReport = {
  /** Whether the service ended when asked; null when there was none to ask. */
  readonly endedWhenAsked: boolean | null;
  readonly killed: number;
  /** Empty, or what could not be removed. */
  readonly left: readonly string[];
};
