import { laneJson } from '../../domain/ship/scan/lane-json.ts';
import { canonical } from '../../domain/ship/plan/canonical.ts';
import type { PlanLane } from '../../domain/ship/plan/plan.ts';
import { performStage, type StageOutcome, type Voyage } from './voyage.ts';

export type Surveyed = { readonly lanes: readonly PlanLane[] } | { readonly stop: StageOutcome };

/**
 * Looks at the repository again. Lanes come out as they are now, because a fix may have changed a
 * command; a lane that is gone cannot be shipped by this plan.
 */
export async function surveyLanes(voyage: Voyage): Promise<Surveyed> {
  const { world, plan } = voyage;
  const fresh = await world.sources.scan(plan.repo.path);
  const lanes: PlanLane[] = [];
  for (const planned of plan.lanes) {
    const found = fresh.lanes.find(({ name }) => name === planned.name);
    const now = found === undefined ? null : { ...laneJson(found), platform: planned.platform };
    const outcome = await performStage(voyage, 'scan', planned, async () => compared(planned, now));
    if (outcome.kind !== 'succeeded') return { stop: outcome };
    const picked = await performStage(voyage, 'pick', planned, async () => chosen(planned));
    if (picked.kind !== 'succeeded') return { stop: picked };
    lanes.push(now ?? planned);
  }
  return { lanes };
}

const FIELDS = [
  'install',
  'build',
  'start',
  'port',
  'health_path',
  'datastores',
  'secrets',
] as const;

function compared(planned: PlanLane, now: PlanLane | null): StageOutcome {
  if (now === null)
    return {
      kind: 'failed',
      evidence: { found: false },
      reason: `The repository no longer holds ${planned.name}; make a new plan.`,
    };
  const changed = FIELDS.filter((field) => canonical(planned[field]) !== canonical(now[field]));
  return {
    kind: 'succeeded',
    evidence: {
      found: true,
      changed: changed.map((field) => ({ field, planned: planned[field], now: now[field] })),
    },
  };
}

const chosen = ({ platform }: PlanLane): StageOutcome => ({
  kind: 'succeeded',
  evidence: { platform: platform.chosen, reason: platform.reason, scores: platform.scores },
});
