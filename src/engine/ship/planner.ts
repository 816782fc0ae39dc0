import { asPlan, type Digest } from '../../domain/ship/plan/identity.ts';
import { chooseLanes, draftPlan } from '../../domain/ship/plan/draft-plan.ts';
import { chosenParts } from '../../domain/ship/plan/chosen-parts.ts';
import type {
  Plan,
  PlanBody,
  PlanLane,
  PlanThresholds,
  RepositoryMark,
} from '../../domain/ship/plan/plan.ts';
import type { SecretsSeen } from '../../domain/ship/plan/secret-staging.ts';
import type { PlatformName, Risk, ScanResult } from '../../domain/ship/scan/lane.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type {
  Located,
  Planner,
  PlanFiles,
  PlanProblem,
  PlanWish,
  PlanWriter,
  SecretsFile,
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
  /** Null when there is no model. */
  readonly writer: () => Promise<PlanWriter | null>;
  readonly digest: Digest;
  readonly now: () => number;
};

/** Makes plans by looking; nothing of the repository is run or changed. */
export function createPlanner(parts: PlannerParts): Planner {
  return { draft: (wish) => draft(parts, wish) };
}

async function draft(
  { sources, files, settings, writer, digest, now }: PlannerParts,
  wish: PlanWish,
): Promise<Result<Plan, PlanProblem>> {
  const words = wish.ai === false ? null : await writer();
  if (words === null && wish.ai === true) return err({ kind: 'no-model' });
  const located = await sources.locate(wish.target);
  if (!located.ok) return located;
  const { root, source, origin } = located.value;
  const mark = await sources.mark(root);
  if (!mark.ok) return mark;
  const scan = await sources.scan(root);
  const { preference, thresholds } = settings();
  const override = wish.platform ?? (wish.demo ? 'local' : null);
  const { parts = [], flyApp = null } = wish;
  const chosen = chosenParts(chooseLanes(scan, { override, preference }), { parts, flyApp });
  if (!chosen.ok) return chosen;
  const { lanes, risks } = chosen.value;
  const authored = await authoredFiles(files, scan, lanes, { root, mark: mark.value });
  const body = draftPlan({
    scan,
    repo: { name: scan.repo, path: root, source, origin, ...mark.value },
    lanes,
    laneRisks: [...risks, ...staleClone(located.value)],
    files: authored.files,
    fileRisks: authored.risks,
    secrets: seenOf(await sources.secrets(root)),
    options: { platform: override, demo: wish.demo, parts, fly_app: flyApp },
    thresholds,
  });
  const worded = words === null ? body : await wordedBy(words, body);
  return ok(asPlan(worded, digest, new Date(now()).toISOString()));
}

const authoredFiles = async (
  files: PlanFiles,
  { repo, deployable }: ScanResult,
  lanes: readonly PlanLane[],
  { root, mark }: { readonly root: string; readonly mark: RepositoryMark },
): ReturnType<PlanFiles> =>
  deployable ? files(root, repo, lanes, mark) : { files: [], risks: [] };

const seenOf = (file: SecretsFile): SecretsSeen =>
  file.kind === 'read' ? { kind: 'read', names: Object.keys(file.values).toSorted() } : file;

async function wordedBy(words: PlanWriter, body: PlanBody): Promise<PlanBody> {
  const said = await words(body);
  return said.ok
    ? { ...body, ...said.value, wording: { by: 'model', because: null } }
    : { ...body, wording: { by: 'template', because: said.error } };
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
