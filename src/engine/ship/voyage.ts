import type { Plan, PlanLane, RepositoryMark, ShipStage } from '../../domain/ship/plan/plan.ts';
import { finishedStage, stageDigest } from '../../domain/ship/run/stage-digest.ts';
import type { EndStatus, RestStatus, RunOptions, StageRecord } from '../../domain/ship/run/run.ts';
import type { Variables } from '../../ports/ship.ts';
import type { Journal } from './journal.ts';
import type { ShipWorld } from './world.ts';

/** One driving of a run: what it is about and what it may use. */
export type Voyage = {
  readonly world: ShipWorld;
  readonly journal: Journal;
  readonly plan: Plan;
  readonly options: RunOptions;
  /** The working tree as it is now, which a resume takes as it finds it. */
  readonly mark: RepositoryMark;
  readonly env: Variables;
  /** Values that must show nowhere, besides those of env. */
  readonly secrets: readonly string[];
  /** Whether to stay and wait when a person has to decide. */
  readonly wait: boolean;
  readonly signal: AbortSignal;
};

/** How a stage came out. */
export type StageOutcome =
  | { readonly kind: 'succeeded' | 'skipped' | 'blocked'; readonly evidence: Facts }
  /** The answer is no. */
  | { readonly kind: 'failed'; readonly evidence: Facts; readonly reason: string }
  /** There was no answer; it may be tried again. */
  | { readonly kind: 'errored'; readonly evidence: Facts; readonly reason: string }
  | { readonly kind: 'stopped' };

export type Facts = Readonly<Record<string, unknown>>;

/** Where a run stands after its stages. */
export type Standing =
  | { readonly kind: 'end'; readonly status: EndStatus; readonly reason: string | null }
  | { readonly kind: 'rest'; readonly status: RestStatus; readonly reason: string }
  /** Somebody has to decide, and this process will not wait for it. */
  | { readonly kind: 'waiting' };

export type Held = (record: StageRecord) => Promise<boolean>;

/**
 * Performs one stage under the journal: written down before and after, and not at all when it is
 * finished, was given the same, and what it made is still there.
 */
export async function performStage(
  voyage: Voyage,
  stage: ShipStage,
  lane: PlanLane | null,
  work: () => Promise<StageOutcome>,
  stillHolds: Held = async () => true,
): Promise<StageOutcome> {
  const { world, journal, plan, options, mark, signal } = voyage;
  if (signal.aborted) return { kind: 'stopped' };
  const place = { stage, lane: lane?.name ?? null };
  const digest = stageDigest({ stage, lane, mark, planHash: plan.hash, options }, world.digest);
  const done = finishedStage(await journal.now(), stage, place.lane, digest);
  if (done !== null && (await stillHolds(done))) {
    await journal.write({ type: 'keep-stage', ...place });
    return { kind: done.status === 'skipped' ? 'skipped' : 'succeeded', evidence: done.evidence };
  }
  await journal.write({ type: 'begin-stage', ...place, digest });
  const outcome = await work();
  if (outcome.kind === 'stopped') return outcome;
  await journal.write({
    type: 'end-stage',
    ...place,
    status: outcome.kind === 'errored' ? 'failed' : outcome.kind,
    evidence:
      'reason' in outcome ? { ...outcome.evidence, reason: outcome.reason } : outcome.evidence,
  });
  return outcome;
}
