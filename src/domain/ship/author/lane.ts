export type LaneKind = 'infra' | 'backend' | 'worker' | 'frontend';

export type Ecosystem =
  | 'node'
  | 'deno'
  | 'python'
  | 'go'
  | 'rust'
  | 'ruby'
  | 'php'
  | 'jvm'
  | 'dotnet'
  | 'elixir'
  | 'swift'
  | 'static'
  | 'docker'
  | 'unknown';

export type PlatformName = 'fly' | 'railway' | 'vercel' | 'cloudrun' | 'local';

/** How a started process learns which port, and with `host` which address, it shall listen on. */
export type PortBinding =
  | { readonly by: 'env'; readonly name: string }
  | { readonly by: 'flag'; readonly flag: string; readonly host?: string }
  | { readonly by: 'fixed' };

/** What the deployment files of one service are made from; a scanned lane fits. */
export type AuthorLane = {
  readonly name: string;
  readonly kind: LaneKind;
  /** Relative to the repository; `.` is its root. */
  readonly path: string;
  readonly ecosystem: Ecosystem;
  readonly framework: string | null;
  readonly packageManager: string | null;
  readonly install: string | null;
  readonly build: string | null;
  readonly start: string | null;
  readonly port: number | null;
  readonly healthPath: string | null;
  readonly datastores: readonly string[];
  readonly secrets: readonly string[];
  readonly platform: PlatformName;
  /** The directory whose lockfile the install belongs to; the lane's own when absent. */
  readonly installPath?: string;
  readonly startEnv?: Readonly<Record<string, string>>;
  readonly staticDir?: string | null;
  readonly portBinding?: PortBinding | null;
  readonly settings?: readonly string[];
  /** What a person wants the application to be called. */
  readonly app?: string;
  /** A Dockerfile the repository has already, relative to its root. */
  readonly dockerfile?: string | null;
};

const CONTROL = /\p{Cc}/u;
const LONGEST = 2_000;

/** Why no file can be made from this lane's words, or null when they are safe to write down. */
export function oddLane(lane: AuthorLane): string | null {
  const words: readonly (readonly [string, string | null | undefined])[] = [
    ['name', lane.name],
    ['path', lane.path],
    ['install', lane.install],
    ['build', lane.build],
    ['start', lane.start],
    ['health path', lane.healthPath],
    ['static directory', lane.staticDir],
    ['install path', lane.installPath],
    ...Object.entries(lane.startEnv ?? {}).map(([, value]) => ['start variable', value] as const),
  ];
  const odd = words.find(([, word]) => word != null && isOdd(word));
  if (odd !== undefined) return `its ${odd[0]} holds characters that no file may carry`;
  if (lane.port !== null && !(Number.isInteger(lane.port) && lane.port > 0 && lane.port < 65_536))
    return 'its port is not a port';
  return null;
}

// `${{` is evaluated by the CI service wherever it stands.
const isOdd = (word: string): boolean =>
  CONTROL.test(word) || word.length > LONGEST || word.includes('${{');

/** The port the container listens on; a worker has none unless it says so. */
export function portOf(lane: AuthorLane): number | null {
  return lane.port ?? (lane.kind === 'worker' || lane.kind === 'infra' ? null : DEFAULT_PORT);
}

const DEFAULT_PORT = 8080;

/** Whether the lane is only files that a web server hands out. */
export const isStatic = (lane: AuthorLane): boolean =>
  lane.start === null && (lane.ecosystem === 'static' || lane.staticDir != null);

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names only, in a fixed order, without anything that is no variable name. */
export const variableNames = (names: readonly string[]): readonly string[] =>
  [...new Set(names)].filter((name) => VARIABLE.test(name)).toSorted();
