import type { Result } from '../lib/result.ts';

/** Everything a user may set, parsed and with defaults; durations are milliseconds. */
export type Settings = {
  readonly workspace: WorkspaceSettings;
  readonly notify: Readonly<Record<string, Sink>>;
  readonly budget: BudgetSettings;
  readonly model: ModelSettings;
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly repos: Readonly<Record<string, RepoSettings>>;
  readonly github: GitHubSettings;
  readonly retention: RetentionSettings;
  readonly ship: ShipSettings;
};

export type WorkspaceSettings = {
  readonly maxParallel: number;
  readonly dispatch: 'default' | 'fifo' | 'critical-path' | 'coordinator';
  /** The agent that chooses with `dispatch = "coordinator"`. */
  readonly coordinator: string | null;
  readonly attempts: number;
  /** The first wait after a failed attempt; it doubles each time. */
  readonly backoffMs: number;
  /** Failures at once, in a row, after which an agent is left alone for a while; 0 is never. */
  readonly breaker: number;
  /** Names of `notify` that hear of every convoy. */
  readonly notify: readonly string[];
  /** After this long a conflict that nobody resolved is told to people. */
  readonly conflictLimitMs: number;
  /** After this long a queue that does not move is told to people and started again. */
  readonly watchdogMs: number;
};

export type Sink =
  | { readonly sink: 'command'; readonly command: readonly string[] }
  /** `secretEnv` names the variable that holds the signing secret. */
  | { readonly sink: 'webhook'; readonly url: string; readonly secretEnv: string | null }
  | { readonly sink: 'slack'; readonly url: string }
  | { readonly sink: 'inbox' }
  | { readonly sink: 'terminal' };

/** Limits a convoy starts with; 0 means none. */
export type BudgetSettings = {
  readonly usd: number;
  readonly tokens: number;
  readonly minutes: number;
};

export type ModelSettings = {
  readonly provider: 'anthropic' | 'openai-compatible';
  /** Null leaves the choice to the provider's adapter. */
  readonly name: string | null;
};

export type AgentSettings = CommandAgent | AcpAgent | ScriptedAgent;

type AgentLimits = {
  readonly timeoutMs: number;
  /** How long an agent may say and do nothing. */
  readonly silenceMs: number;
  /** Null: only the workspace's ceiling counts. */
  readonly maxParallel: number | null;
};
export type AgentPreset = 'claude' | 'codex' | 'opencode' | 'gemini';

/** At least one of `command` and `preset` is set; the adapter fills a missing command. */
export type CommandAgent = AgentLimits & {
  readonly adapter: 'command';
  readonly command: readonly string[] | null;
  readonly preset: AgentPreset | null;
};

/** At least one of `command` and `preset` is set; the adapter fills a missing command. */
export type AcpAgent = AgentLimits & {
  readonly adapter: 'acp';
  readonly command: readonly string[] | null;
  readonly preset: AgentPreset | null;
  readonly permissions: 'worktree' | 'ask' | 'deny';
};

export type ScriptedAgent = AgentLimits & {
  readonly adapter: 'scripted';
  /** Absolute path of the steps. */
  readonly script: string;
};

/** Where a repository's commits come from. */
export type RepoSource =
  /** `path` is absolute, `written` is what the file says. */
  | { readonly kind: 'path'; readonly path: string; readonly written: string }
  | { readonly kind: 'url'; readonly url: string };

export type RepoSettings = {
  readonly source: RepoSource;
  readonly prefix: string;
  /** Null: the repository's default branch, asked from git. */
  readonly target: string | null;
  readonly agent: string | null;
  readonly mergeMode: 'review-then-land' | 'review-and-merge';
  readonly strategy: 'merge' | 'squash' | 'rebase';
  readonly delivery: 'direct' | 'pull-request' | 'local';
  /** When Convoy itself merges a pull request: approved and green, green alone, or never. */
  readonly prMerge: 'approved' | 'green' | 'never';
  readonly review: 'none' | 'agent' | 'human' | 'both';
  readonly reviewer: string | null;
  readonly reviewEach: boolean;
  /** Verifications at the same time. */
  readonly slots: number;
  /** Prepares a fresh worktree; null when nothing is needed. */
  readonly setup: readonly string[] | null;
  readonly wip: 'continue' | 'restart';
  readonly failurePolicy: 'hold' | 'continue';
  /** Empty: anywhere in the repository. */
  readonly allowedPaths: readonly string[];
  /** Absolute path of a replacement for the built-in review prompt. */
  readonly reviewPrompt: string | null;
  /** Variables passed through to agents and gates. */
  readonly env: readonly string[];
  readonly gates: readonly GateSettings[];
};

export type GateSettings = {
  readonly name: string;
  readonly run: GateCommand;
  readonly timeoutMs: number;
  /** Further tries of a flaky gate. */
  readonly retries: number;
  readonly env: readonly string[];
  /** "No tests ran" then means that the gate is broken. */
  readonly requireTests: boolean;
  readonly phase: GatePhase;
};
export type GateCommand =
  | { readonly kind: 'argv'; readonly argv: readonly string[] }
  /** Run with `sh -c`. */
  | { readonly kind: 'shell'; readonly line: string };
/** `change`: on each change only; `landing`: on the landing into the target only. */
export type GatePhase = 'always' | 'change' | 'landing';

export type GitHubSettings = {
  /** Names the variable that holds the secret of GitHub's webhooks; null takes none. */
  readonly webhookSecretEnv: string | null;
  /** How soon a pull request is looked at again; the wait grows while nothing happens. */
  readonly pollMs: number;
};

export type RetentionSettings = { readonly days: number; readonly gb: number };

export type ShipSettings = {
  readonly platform: 'local' | 'fly' | 'vercel' | 'railway' | 'cloudrun';
  /** Shares of the traffic in percent, ascending. */
  readonly steps: readonly number[];
  readonly bakeMs: number;
  readonly observeMs: number;
  readonly maxErrorRate: number;
  readonly maxP99Ms: number;
  readonly falseAlarmRate: number;
  readonly auto: 'never' | 'landed';
};

/** Why a configuration cannot be used, and where. */
export type SettingsProblem = {
  readonly code: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly key?: string;
  readonly remedy?: string;
  /** Every problem found, this first one included, when there are several. */
  readonly problems?: readonly SettingsProblem[];
};

export type SettingsEdit =
  | { readonly op: 'set'; readonly path: readonly string[]; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: readonly string[] };

export type ExplainedValue = {
  readonly key: string;
  readonly value: unknown;
  readonly source: 'default' | 'file' | 'environment';
  /** `file:line`, the name of the variable, or `built in`. */
  readonly where: string;
};

/** The configuration file as the program sees it: read when it changed, edited in place. */
export type SettingsStore = {
  readonly path: string;
  read(): Result<Settings, SettingsProblem>;
  /** All edits or none: nothing is written when the result would be invalid. */
  apply(edits: readonly SettingsEdit[]): Result<Settings, SettingsProblem>;
  explain(): Result<readonly ExplainedValue[], SettingsProblem>;
  /** The file as it is now, empty when there is none. */
  text(): string;
};
