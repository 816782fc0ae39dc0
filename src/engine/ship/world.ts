import type { Digest } from '../../domain/ship/plan/identity.ts';
import type { Ledger } from '../../ledger/open.ts';
import type { IsGone } from '../../ledger/runs.ts';
import type { Ids } from '../../ports/ids.ts';
import type { PlanFiles, PlanStore, Sources } from '../../ports/plans.ts';
import type { Rehearsal } from '../../ports/rehearsal.ts';
import type { RunVariables, SecretStore, ShipTools } from '../../ports/ship.ts';

/** Everything a run may reach. */
export type ShipWorld = {
  readonly ledger: Ledger;
  readonly ids: Ids;
  readonly plans: PlanStore;
  readonly sources: Sources;
  readonly rehearsal: Rehearsal;
  readonly tools: ShipTools;
  readonly variables: RunVariables;
  /** Says which files lanes need. */
  readonly files: PlanFiles;
  readonly secrets: SecretStore;
  readonly digest: Digest;
  /** Names this process on the leases it takes. */
  readonly holder: string;
  readonly isGone: IsGone;
  /** How soon a pull request is looked at again; it grows while nothing happens. */
  readonly lookMs?: number;
};

/** Who is written on the events of a run's own progress. */
export const SHIP_ENGINE = 'engine:ship';
