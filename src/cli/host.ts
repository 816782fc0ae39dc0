import type { Client } from '../client/client.ts';
import type { Problem } from '../contract/problem.ts';
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
  /** Calls back at every Ctrl-C until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
};

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
  readonly stop: () => Promise<void>;
};
