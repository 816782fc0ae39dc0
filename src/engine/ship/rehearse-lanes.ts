import { dependantsOf } from '../../domain/ship/plan/lane-order.ts';
import type { PlanLane } from '../../domain/ship/plan/plan.ts';
import { previousRelease } from './previous-release.ts';
import { rehearseLane } from './rehearse-lane.ts';
import { performStage, type Standing, type Voyage } from './voyage.ts';

/**
 * Rehearses every lane in its order. A lane that fails holds back only those that need it; the
 * others are still tried, so that one look shows everything there is to fix.
 */
export async function rehearseLanes(
  voyage: Voyage,
  lanes: readonly PlanLane[],
): Promise<Standing | null> {
  const { world, plan } = voyage;
  const failed = new Map<string, string>();
  for (const lane of lanes) {
    const held = dependantsOf(new Set(failed.keys()), lanes);
    const outcome = await performStage(voyage, 'rehearse', lane, async () =>
      held.has(lane.name)
        ? { kind: 'blocked', evidence: { waits_for: lane.depends_on } }
        : rehearseLane(voyage, lane, await previousRelease(world, plan.repo.path, lane.name)),
    );
    if (outcome.kind === 'stopped')
      return {
        kind: 'rest',
        status: 'interrupted',
        reason: `Stopped while rehearsing ${lane.name}.`,
      };
    if (outcome.kind === 'errored')
      return { kind: 'rest', status: 'paused', reason: outcome.reason };
    if (outcome.kind === 'failed') failed.set(lane.name, outcome.reason);
  }
  if (failed.size === 0) return null;
  const reason = [...failed].map(([lane, why]) => `${lane}: ${why}`).join('; ');
  return { kind: 'rest', status: 'awaiting_fix', reason };
}
