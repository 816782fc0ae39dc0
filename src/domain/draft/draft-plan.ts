import type { Criterion, Priority, TaskType } from '../work/task.ts';

/** A plan that is not written to the ledger yet, whoever made it: the reader or a model. */
export type DraftPlan = {
  readonly root: DraftNode;
  readonly edges: readonly DraftEdge[];
};

/** One task or epic to be. */
export type DraftNode = {
  /** Where it stands: `2.1` is the first thing under the second; the root is `root`. */
  readonly key: string;
  readonly line: number;
  readonly title: string;
  readonly type: TaskType;
  readonly priority: Priority;
  readonly labels: readonly string[];
  readonly description: string;
  readonly acceptance: readonly Criterion[];
  readonly ownBranch: boolean;
  readonly repo: string | null;
  readonly agent: string | null;
  readonly estimateMinutes: number | null;
  readonly children: readonly DraftNode[];
};

/** `from` waits for `on`; both are keys. */
export type DraftEdge = { readonly from: string; readonly on: string; readonly line: number };

export type DraftProblem = {
  readonly line: number;
  readonly kind: 'error' | 'warning';
  readonly message: string;
};

export const ROOT_KEY = 'root';
