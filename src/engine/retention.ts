import { expiredLogs, keptSince } from '../domain/retention/expired-logs.ts';
import type { Ledger } from '../ledger/open.ts';
import { pruneOutbox } from '../ledger/prune-outbox.ts';
import { openExecutions } from '../ledger/queries/open-executions.ts';
import { executionId, type Executor } from '../ports/executor.ts';
import type { LogStore } from '../ports/log-store.ts';
import type { SettingsStore } from '../ports/settings.ts';
import type { Timers } from '../ports/timers.ts';
import { type Loop, startLoop } from './loop.ts';

export type Kept = {
  readonly ledger: Ledger;
  readonly settings: SettingsStore;
  readonly executor: Executor;
  readonly logs: LogStore;
  readonly timers: Timers;
  now(): number;
  log(line: string): void;
};

const HOUR_MS = 3_600_000;

const FIRST_MS = 60_000;

/** Lets go of what need not be kept any longer, after a minute and then every hour. */
export function keepingTidy(kept: Kept): Loop {
  let isFirst = true;
  const pass = async (): Promise<number | null> => {
    if (isFirst) {
      isFirst = false;
      // A start has more urgent things to do.
      return FIRST_MS;
    }
    await sweep(kept);
    return null;
  };
  return startLoop('retention', pass, {
    everyMs: HOUR_MS,
    timers: kept.timers,
    log: (line) => kept.log(line),
  });
}

/** One look at logs and outbox; says what went. */
export async function sweep(kept: Kept): Promise<{ logs: string[]; notifications: number }> {
  const settings = kept.settings.read();
  // Without knowing how long, everything is kept.
  if (!settings.ok) return { logs: [], notifications: 0 };
  const { retention } = settings.value;
  const now = kept.now();
  const isOpen = await openExecutions(kept.ledger.db);
  const gone: string[] = [];
  for (const name of expiredLogs(await kept.logs.list(), isOpen, retention, now)) {
    const { status } = await kept.executor.find(executionId(name));
    if (status === 'running') continue;
    await kept.logs.remove(name);
    gone.push(name);
  }
  const since = keptSince(retention, now);
  const notifications = since === null ? 0 : await pruneOutbox(kept.ledger, since);
  if (gone.length > 0) kept.log(`retention: ${gone.length} logs removed`);
  return { logs: gone, notifications };
}
