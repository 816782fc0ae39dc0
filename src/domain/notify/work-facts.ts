import type { Change } from '../merge/change.ts';
import type { Attempt, Cost } from '../work/attempt.ts';
import type { Instant } from '../work/ids.ts';
import { isDispatchable, type Task } from '../work/task.ts';

/** How a convoy's work stood at a moment. */
export type WorkFacts = {
  readonly merged: readonly MergedItem[];
  /** Done without code. */
  readonly closed: readonly Item[];
  readonly skipped: readonly Item[];
  readonly failed: readonly Item[];
  readonly cancelled: readonly Item[];
  /** Tasks that none of the lists above holds. */
  readonly unfinished: number;
  readonly landings: readonly Landing[];
  readonly durationMs: number;
  readonly cost: Cost;
};

export type Item = { readonly id: string; readonly title: string; readonly note: string };
export type MergedItem = {
  readonly id: string;
  readonly title: string;
  readonly repo: string | null;
  readonly commit: string;
  readonly target: string;
  /** No gate has tested it. */
  readonly unverified: boolean;
};
export type Landing = { readonly repo: string; readonly target: string; readonly commit: string };

/**
 * Reads the facts off a convoy's tasks, changes and attempts. Where the convoy has moved on since,
 * what came later is left out.
 */
export function workFacts(
  tasks: readonly Task[],
  changes: readonly Change[],
  attempts: readonly Pick<Attempt, 'cost' | 'createdAt'>[],
  span: { readonly from: Instant; readonly to: Instant; readonly movedOn: boolean },
): WorkFacts {
  const wasThere = (at: Instant): boolean => !span.movedOn || at <= span.to;
  const then = tasks.filter(({ type, createdAt }) => isDispatchable(type) && wasThere(createdAt));
  const settled = then.filter((task) => 'at' in task && wasThere(task.at));
  return {
    merged: settled.flatMap(mergedItem),
    closed: settled.flatMap((task) => (task.status === 'closed' ? item(task, task.outcome) : [])),
    skipped: settled.flatMap((task) => (task.status === 'skipped' ? item(task, task.reason) : [])),
    failed: settled.flatMap((task) => (task.status === 'failed' ? item(task, task.reason) : [])),
    cancelled: settled.flatMap((task) =>
      task.status === 'cancelled' ? item(task, task.reason) : [],
    ),
    unfinished: then.length - settled.length,
    landings: changes.flatMap((change) =>
      change.landing === true && change.status === 'merged' && wasThere(change.at)
        ? [{ repo: change.repo, target: change.target, commit: change.merged.commit }]
        : [],
    ),
    durationMs: Math.max(0, span.to - span.from),
    cost: total(attempts.filter(({ createdAt }) => wasThere(createdAt))),
  };
}

function mergedItem(task: Task): MergedItem[] {
  if (task.status !== 'merged') return [];
  const { id, title, repo, merged } = task;
  const { commit, target, unverified } = merged;
  return [{ id, title, repo, commit, target, unverified }];
}

const item = ({ id, title }: Task, note: string): Item[] => [{ id, title, note }];

const total = (attempts: readonly Pick<Attempt, 'cost'>[]): Cost =>
  attempts.reduce(
    (sum, { cost }) => ({ usd: sum.usd + cost.usd, tokens: sum.tokens + cost.tokens }),
    { usd: 0, tokens: 0 },
  );
