import type { Client } from '../client/client.ts';
import type { AnyRoute, CallOf, OutputOf } from '../contract/route.ts';
import type { ArgsOf, Command, OptionsOf, Shape } from './command.ts';
import type { Host } from './host.ts';

/** All that a command may know of and do to the world. */
export type CommandContext<S extends Shape = Shape> = {
  readonly args: ArgsOf<S>;
  readonly options: OptionsOf<S>;
  /** Reaches the workspace, once; stops the command with the reason when it cannot. */
  readonly client: () => Promise<Client>;
  /** Reaches it anew, for a stream whose other end went away. */
  readonly reconnect: () => Promise<Client>;
  /** Calls a route and stops the command with its problem when the answer is no. */
  readonly call: <R extends AnyRoute>(route: R, input: CallOf<R>) => Promise<OutputOf<R>>;
  /** Writes a line to stdout now, for streams; everything else is returned as the outcome. */
  readonly out: (line: string) => void;
  /** Says something beside the result, on stderr, unless --quiet. */
  readonly err: (line: string) => void;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
  readonly columns: number;
  /** A person is at both ends: stdin and stdout are terminals and nobody asked for JSON. */
  readonly interactive: boolean;
  readonly cwd: string;
  /** Where to look for the workspace: -C, else CONVOY_DIR, else the working directory. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Host['stdin'];
  /** Aborted by Ctrl-C and when nobody reads stdout any more. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly version: string;
  readonly commands: readonly Command[];
  /** What the launcher injected, for the commands that start and stop things. */
  readonly host: Host;
};
