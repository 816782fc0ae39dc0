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
  /** The user named it (-C or CONVOY_DIR), so nothing else will do. */
  readonly named: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
};
