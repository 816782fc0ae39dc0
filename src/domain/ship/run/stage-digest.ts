import { canonical } from '../plan/canonical.ts';
import type { Digest } from '../plan/identity.ts';
import type { PlanLane, RepositoryMark, ShipStage } from '../plan/plan.ts';
import type { Run, RunOptions, StageRecord } from './run.ts';

/** What a stage is given: when none of it changed, doing it again would give the same. */
export function stageDigest(
  given: {
    readonly stage: ShipStage;
    readonly lane: PlanLane | null;
    readonly mark: RepositoryMark;
    readonly planHash: string;
    readonly options: RunOptions;
  },
  digest: Digest,
): string {
  const { stage, lane, mark, planHash, options } = given;
  return digest(
    canonical({
      stage,
      lane: lane?.name ?? null,
      sha: mark.sha,
      dirty: mark.dirty_digest,
      planHash,
      env: options.env.toSorted(),
      envFile: options.envFile,
      options: stage === 'rehearse' ? rehearsing(options) : {},
      real: stage === 'author' ? options.realAuthor : null,
    }),
  );
}

const rehearsing = ({
  realRehearsal,
  injectFailure,
  probePaths,
  trustRepo,
}: RunOptions): object => ({
  realRehearsal,
  injectFailure,
  probePaths,
  trustRepo,
});

/** The finished stage that need not be repeated, if there is one. */
export function finishedStage(
  run: Run,
  stage: ShipStage,
  lane: string | null,
  digest: string,
): StageRecord | null {
  const record = run.stages.find((each) => each.stage === stage && each.lane === lane);
  const done = record?.status === 'succeeded' || record?.status === 'skipped';
  return record !== undefined && done && record.digest === digest ? record : null;
}
