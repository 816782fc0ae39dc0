import type { IsGone } from '../ledger/runs.ts';
import type { PlanFiles, Planner, PlanStore, Sources } from '../ports/plans.ts';
import type { RunVariables, SecretStore } from '../ports/ship.ts';

/** What the handlers of plans and runs reach. */
export type ShipServices = {
  readonly planner: Planner;
  readonly plans: PlanStore;
  readonly sources: Sources;
  readonly variables: RunVariables;
  readonly secrets: SecretStore;
  readonly files: PlanFiles;
  readonly isGone: IsGone;
  /** Ends and removes what rehearsals left behind whose process was killed. */
  readonly sweep: () => Promise<void>;
};
