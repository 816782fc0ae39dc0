/** One conclusion about a repository and the line that supports it. */
export interface Evidence {
  readonly field: string;
  readonly value: string;
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly excerpt: string;
}

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

/** How a started process learns which port, and with `host` which address, it shall listen on. */
export type PortBinding =
  | { readonly by: 'env'; readonly name: string }
  | { readonly by: 'flag'; readonly flag: string; readonly host?: string }
  | { readonly by: 'fixed' };

/** A script that the package manager runs before or after another one. */
export interface Hook {
  readonly script: string;
  readonly command: string;
}

/**
 * One deployable service of a repository.
 * Every field stands in `plan --json` under the same name in snake case.
 */
export interface Lane {
  readonly name: string;
  readonly kind: LaneKind;
  /** Where commands run, relative to the repository; `.` is its root. */
  readonly path: string;
  readonly dependsOn: readonly string[];
  readonly ecosystem: Ecosystem;
  readonly framework: string | null;
  readonly packageManager: string | null;
  readonly install: string | null;
  /** The directory whose lockfile the install belongs to. */
  readonly installPath: string;
  readonly build: string | null;
  readonly buildVia: string | null;
  readonly start: string | null;
  readonly startVia: string | null;
  /** Variables that the start script sets in front of its command. */
  readonly startEnv: Readonly<Record<string, string>>;
  readonly hooks: readonly Hook[];
  /** Brings the database to the form the lane expects; tried on throw-away databases only. */
  readonly migrate: string | null;
  /** Files a web server only has to hand out, when the lane needs no process. */
  readonly staticDir: string | null;
  readonly schedule: string | null;
  readonly port: number | null;
  readonly portBinding: PortBinding | null;
  readonly healthPath: string | null;
  readonly datastores: readonly string[];
  readonly secrets: readonly string[];
  /** Names of settings that are no secrets but are read from the environment. */
  readonly settings: readonly string[];
  readonly dockerfile: string | null;
  readonly evidence: readonly Evidence[];
}

export type NotAService =
  | 'library'
  | 'cli'
  | 'mobile-app'
  | 'desktop-app'
  | 'extension'
  | 'assets'
  | 'tests'
  | 'nothing';

/** A part of the repository that was looked at and is no lane. */
export interface Passed {
  readonly path: string;
  readonly what: NotAService;
  readonly reason: string;
  readonly evidence: readonly Evidence[];
}

export interface Risk {
  readonly level: 'block' | 'warn' | 'note';
  readonly code: string;
  readonly message: string;
  readonly lane: string | null;
  readonly files: readonly string[];
}

export type PlatformName = 'fly' | 'railway' | 'vercel' | 'cloudrun' | 'local';

/** A platform's own configuration file found in the repository. */
export interface PlatformConfig {
  readonly platform: PlatformName | 'other';
  readonly product: string;
  readonly path: string;
  readonly file: string;
}

export interface ScanResult {
  readonly repo: string;
  readonly deployable: boolean;
  readonly reason: string;
  readonly lanes: readonly Lane[];
  readonly passed: readonly Passed[];
  readonly monorepo: readonly string[];
  readonly platformConfigs: readonly PlatformConfig[];
  readonly risks: readonly Risk[];
  readonly evidence: readonly Evidence[];
}
