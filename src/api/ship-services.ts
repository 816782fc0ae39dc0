import type { IsGone } from '../ledger/runs.ts';
import type { Planner, PlanStore, Sources } from '../ports/plans.ts';
import type { RunVariables } from '../ports/ship.ts';

/** What the handlers of plans and runs reach. */
export type ShipServices = {
  readonly planner: Planner;
  readonly plans: PlanStore;
  readonly sources: Sources;
  readonly variables: RunVariables;
  readonly isGone: IsGone;
};
