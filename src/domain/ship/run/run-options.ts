import type { ShipStage } from '../plan/plan.ts';

/**
 * Everything a resume needs to go on as the apply was asked; values of variables are not in here.
 * What may be absent was not known to the version that opened the run.
 */
export type RunOptions = {
  readonly autoApprove: boolean;
  readonly trustRepo: boolean;
  readonly demo: boolean;
  readonly injectFailure: ShipStage | null;
  readonly realRehearsal: boolean;
  readonly realAuthor: boolean;
  readonly probePaths: readonly string[];
  /** Names only. */
  readonly env: readonly string[];
  readonly envFile: string | null;
  readonly allowDrift: boolean;
  /** Whether a model helps the medic; null: when there is one. */
  readonly ai?: boolean | null;
  /** Whether a pull request is merged by the run, once that was approved. */
  readonly autoMerge?: boolean;
  /** Who mends what the medic gives to the developer; null: a person. */
  readonly fix?: 'agent' | null;
};

/** An apply of which nothing was asked. */
export const USUAL_OPTIONS: RunOptions = {
  autoApprove: false,
  trustRepo: false,
  demo: false,
  injectFailure: null,
  realRehearsal: true,
  realAuthor: true,
  probePaths: [],
  env: [],
  envFile: null,
  allowDrift: false,
  ai: null,
  autoMerge: true,
  fix: null,
};
