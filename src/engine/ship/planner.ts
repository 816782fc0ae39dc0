import { asPlan, type Digest } from '../../domain/ship/plan/identity.ts';
import { chooseLanes, draftPlan } from '../../domain/ship/plan/draft-plan.ts';
import type { Plan, PlanThresholds } from '../../domain/ship/plan/plan.ts';
import type { PlatformName, Risk } from '../../domain/ship/scan/lane.ts';
import { ok, type Result } from '../../lib/result.ts';
import type {
  Located,
  Planner,
  PlanFiles,
  PlanWish,
  SourceProblem,
  Sources,
} from '../../ports/plans.ts';

export type PlannerParts = {
  readonly sources: Sources;
  readonly files: PlanFiles;
  /** `[ship]` of the workspace, as far as somebody set it. */
  readonly settings: () => {
    readonly preference: PlatformName | null;
    readonly thresholds: PlanThresholds;
  };
  readonly digest: Digest;
  readonly now: () => number;
};

/** Makes plans by looking; nothing of the repository is run or changed. */
export function createPlanner(parts: PlannerParts): Planner {
  return { draft: (wish) => draft(parts, wish) };
}

async function draft(
  { sources, files, settings, digest, now }: PlannerParts,
  wish: PlanWish,
): Promise<Result<Plan, SourceProblem>> {
  const located = await sources.locate(wish.target);
  if (!located.ok) return located;
  const { root, source, origin } = located.value;
  const mark = await sources.mark(root);
  if (!mark.ok) return mark;
  const scan = await sources.scan(root);
  const { preference, thresholds } = settings();
  const override = wish.platform ?? (wish.demo ? 'local' : null);
  const { lanes, risks } = chooseLanes(scan, { override, preference });
  const authored = scan.deployable
    ? await files(root, scan.repo, lanes, mark.value)
    : { files: [], risks: [] };
  const body = draftPlan({
    scan,
    repo: { name: scan.repo, path: root, source, origin, ...mark.value },
    lanes,
    laneRisks: [...risks, ...staleClone(located.value)],
    files: authored.files,
    fileRisks: authored.risks,
    override,
    demo: wish.demo,
    thresholds,
  });
  return ok(asPlan(body, digest, new Date(now()).toISOString()));
}

function staleClone({ stale, source }: Located): readonly Risk[] {
  return stale === null
    ? []
    : [
        {
          level: 'warn',
          code: 'stale-clone',
          message: `${source} did not answer (${stale}); this is the clone of an earlier time.`,
          lane: null,
          files: [],
        },
      ];
}
