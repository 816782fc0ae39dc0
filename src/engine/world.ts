import type { AttemptId, TaskId } from '../domain/work/ids.ts';
import type { Ledger } from '../ledger/open.ts';
import type { Agent } from '../ports/agent.ts';
import type { Executor } from '../ports/executor.ts';
import type { Forges } from '../ports/forge.ts';
import type { Ids } from '../ports/ids.ts';
import type { Machine } from '../ports/machine.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { Reviewer } from '../ports/reviewer.ts';
import type { AgentSettings, SettingsStore, Sink } from '../ports/settings.ts';
import type { Timers } from '../ports/timers.ts';
import type { Result } from '../lib/result.ts';
import type { Tx } from '../ledger/transaction.ts';

/** Everything the loops may reach. */
export type World = {
  readonly ledger: Ledger;
  readonly settings: SettingsStore;
  readonly repositories: Repositories;
  readonly executor: Executor;
  readonly forges: Forges;
  readonly machine: Machine;
  readonly ids: Ids;
  /** Makes an agent of its settings. */
  agent(name: string, settings: AgentSettings): Result<Agent, string>;
  /** Makes a notifier of its settings. */
  notifier(sink: Sink): Notifier;
  /** The built-in reviewer; null when no key of a model is set. */
  reviewer(): Promise<Reviewer | null>;
  /** A token good for one attempt and nothing else; recorded in the same transaction. */
  mintToken(
    tx: Tx,
    attempt: AttemptId,
    task: TaskId,
    role?: 'worker' | 'reviewer',
  ): Promise<string>;
  revokeTokens(tx: Tx, attempt: AttemptId): Promise<void>;
  /** Where agents reach this engine. */
  readonly url: string;
  /** Papers of attempts and gate runs; outside every repository. */
  readonly runsDir: string;
  /** Where Convoy itself is installed; its tools are not the repo's. */
  readonly convoyRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What a program left in a file, or null when there is none; at most `most` characters. */
  readText(path: string, most: number): Promise<string | null>;
  now(): number;
  readonly timers: Timers;
  /** 0 to 1. */
  chance(): number;
  log(line: string): void;
};

export const ENGINE = 'engine';
