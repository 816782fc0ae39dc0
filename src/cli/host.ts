import type { Client } from '../client/client.ts';
import type { Problem } from '../contract/problem.ts';
import type { DiagnosisJson, PlanJson } from '../contract/schemas/ship.ts';
import type { Result } from '../lib/result.ts';

/** The world as the launcher hands it to the CLI; tests hand another one. */
export type Host = {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Sink;
  readonly stderr: Sink;
  now(): number;
  connect(place: Place): Promise<Result<Client, Problem>>;
  init(wish: InitWish): Promise<Result<InitReport, Problem>>;
  /** Runs the engine in this process. */
  run(wish: UpWish): Promise<Result<RunningDaemon, Problem>>;
  /** Starts the engine in a process of its own. */
  detach(wish: UpWish): Promise<Result<UpReport, Problem>>;
  /** The daemon of the workspace, waited for a moment in case it is only just starting. */
  running(wish: Pick<UpWish, 'dir' | 'env'>): Promise<UpReport | null>;
  stop(wish: Pick<UpWish, 'dir' | 'env'>): Promise<Result<{ stopped: number | null }, Problem>>;
  readonly ship: ShipDoors;
  /** Calls back at every Ctrl-C until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
};

/** Shipping where there is no workspace, or with the engine in this process. */
export type ShipDoors = {
  plan(wish: PlanWish): Promise<Result<PlanJson, Problem>>;
  /** Resolves when the run rests; at once when a daemon carries it out. */
  drive(wish: {
    readonly dir: string;
    readonly env: Variables;
    readonly run: string;
    readonly wait: boolean;
    readonly signal: AbortSignal;
  }): Promise<Result<{ readonly by: 'daemon' | 'here' }, Problem>>;
  rehearse(wish: RehearseWish): Promise<Result<Rehearsed, Problem>>;
  /** The example service in a repository of its own. */
  demo(wish: {
    readonly dir: string;
    readonly env: Variables;
  }): Promise<Result<{ readonly path: string }, Problem>>;
};

export type PlanWish = {
  readonly env: Variables;
  readonly target: string;
  readonly platform: PlatformName | null;
  /** Only these parts of a monorepo; empty: all. */
  readonly parts: readonly string[];
  readonly flyApp: string | undefined;
  /** Whether a model helps; undefined: when there is one. */
  readonly ai: boolean | undefined;
};

export type RehearseWish = PlanWish & {
  readonly lanes: readonly string[];
  readonly probePaths: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly envFile: string | null;
  readonly trustRepo: boolean;
  /** Where an address is cloned to. */
  readonly clonesDir: string | null;
  readonly signal: AbortSignal;
  readonly note: (lane: string, text: string) => void;
};

export type Rehearsed = {
  readonly plan: PlanJson;
  readonly lanes: readonly {
    readonly lane: string;
    readonly status: string;
    readonly reason: string | null;
    readonly evidence: Readonly<Record<string, unknown>>;
    readonly diagnosis: DiagnosisJson | null;
  }[];
};

type PlatformName = PlanJson['lanes'][number]['platform']['chosen'];

/** The part of a Node stream that we use. */
export type Sink = {
  write(text: string, done?: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** Where the workspace is looked for. */
export type Place = {
  /** The directory the search starts from, going upwards. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
};

type Variables = Readonly<Record<string, string | undefined>>;

export type InitWish = {
  readonly dir: string;
  readonly env: Variables;
  readonly name: string | undefined;
  readonly prefix: string | undefined;
  readonly target: string | undefined;
};

export type InitReport = {
  readonly workspace: string;
  readonly created: boolean;
  readonly repo: { readonly name: string; readonly prefix: string; readonly target: string } | null;
  /** The workspace above, which this one now hides from everything below here. */
  readonly inside: string | null;
};

export type UpWish = {
  readonly dir: string;
  readonly env: Variables;
  /** Null: the usual one, or a free one when it is taken. */
  readonly port: number | null;
  /** Reachable from elsewhere, and how. */
  readonly bind?: {
    readonly host: string | null;
    readonly tlsCert: string | null;
    readonly tlsKey: string | null;
    readonly insecure: boolean;
  };
};

export type UpReport = { readonly url: string; readonly pid: number; readonly already: boolean };

export type RunningDaemon = {
  readonly url: string;
  readonly stopped: Promise<string>;
  /** `agents`: ends the agents too, their work saved and their tasks open again. */
  readonly stop: (how?: { readonly agents: boolean }) => Promise<void>;
};
