export const STAGES = ['install', 'build', 'start', 'ready', 'load', 'canary', 'observe'] as const;
export type Stage = (typeof STAGES)[number];

/** What a lane left behind when a stage did not pass. */
export type Evidence = {
  readonly lane: string;
  /** The lane's directory inside the repository; `.` for the root. */
  readonly lanePath: string;
  readonly stage: Stage;
  readonly command: string;
  /** The directory the command ran in, so that absolute paths in the log can be led back. */
  readonly cwd: string | null;
  /** Null while the process lives. */
  readonly exit: Exit | null;
  /** How long we waited before giving up; null when nothing was waited for in vain. */
  readonly timedOutMs: number | null;
  /** Output of the command, oldest line first, already bounded. */
  readonly log: string;
  readonly probes: readonly Probe[];
  readonly port: Port | null;
  readonly resources: Resources | null;
  readonly env: { readonly needed: readonly string[]; readonly given: readonly string[] };
  readonly changes: readonly Change[];
  /** The release before this one, when there is one to compare with. */
  readonly previous: ReleaseStats | null;
  /** Files that Convoy wrote and may write again. */
  readonly ownedFiles: readonly string[];
};

export type Exit = { readonly code: number | null; readonly signal: string | null };

export type Probe = {
  readonly path: string;
  /** How often each status was seen; `0` stands for no answer at all. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly samples: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  /** Between 0 and 1. */
  readonly errorRate: number;
  readonly thresholds: { readonly maxErrorRate: number; readonly maxP99Ms: number };
};

export type Port = {
  readonly expected: number | null;
  /** Ports our own process listens on. */
  readonly listening: readonly number[];
  /** The same with addresses (`127.0.0.1:3000`), where they are known. */
  readonly addresses?: readonly string[];
};

export type Resources = {
  readonly rssMb: number | null;
  readonly limitMb: number | null;
  readonly cpu: number | null;
};

/** One file of the recent changes, with the lines they added. */
export type Change = {
  readonly file: string;
  readonly added: readonly { readonly line: number; readonly text: string }[];
  readonly commit?: string;
};

export type ReleaseStats = {
  readonly release: string;
  readonly p99: number | null;
  readonly errorRate: number | null;
};
