import { pick } from '../pick/pick.ts';
import { laneJson } from '../scan/lane-json.ts';
import type { PlatformName, Risk, ScanResult } from '../scan/lane.ts';
import { laneOrder } from './lane-order.ts';
import type {
  PlanBody,
  PlanFile,
  PlanLane,
  PlanOptions,
  PlanRepo,
  PlanThresholds,
} from './plan.ts';
import { type SecretsSeen, stagingOf, stagingRisks } from './secret-staging.ts';
import { approvalsOf, stepsOf } from './steps.ts';
import { narrativeOf, summaryOf } from './words.ts';

export type DraftInput = {
  readonly scan: ScanResult;
  readonly repo: PlanRepo;
  readonly lanes: readonly PlanLane[];
  /** What choosing platforms brought to light. */
  readonly laneRisks: readonly Risk[];
  readonly files: readonly PlanFile[];
  readonly fileRisks: readonly Risk[];
  readonly secrets: SecretsSeen;
  readonly options: PlanOptions;
  readonly thresholds: PlanThresholds;
};

/** Chooses a platform for every lane, in the order in which the lanes will be handled. */
export function chooseLanes(
  scan: ScanResult,
  wish: { readonly override: PlatformName | null; readonly preference: PlatformName | null },
): { readonly lanes: readonly PlanLane[]; readonly risks: readonly Risk[] } {
  const picked = scan.lanes.map((lane) => {
    const choice = pick(lane, {
      configs: scan.platformConfigs,
      ...(wish.override === null ? {} : { override: wish.override }),
      ...(wish.preference === null ? {} : { preference: wish.preference }),
    });
    const { chosen, reason, scores, reasons, decidedBy } = choice;
    const platform = { chosen, reason, scores, reasons, decided_by: decidedBy };
    return { lane: { ...laneJson(lane), platform }, risks: choice.risks };
  });
  return {
    lanes: laneOrder(picked.map(({ lane }) => lane)),
    risks: picked.flatMap(({ risks }) => risks),
  };
}

/** The whole plan, from what was seen. */
export function draftPlan(input: DraftInput): PlanBody {
  const { scan, repo, lanes, files, thresholds } = input;
  const staging = stagingOf(lanes, input.secrets);
  const names = new Set(lanes.map(({ name }) => name));
  const risks = [
    ...scan.risks.filter(({ lane }) => lane === null || names.has(lane)),
    ...input.laneRisks,
    ...input.fileRisks,
    ...(scan.deployable ? stagingRisks(staging) : []),
  ];
  const told = {
    repo,
    deployable: scan.deployable,
    reason: scan.reason,
    lanes,
    files,
    risks,
  };
  const steps = scan.deployable ? stepsOf(lanes, files, repo, staging) : [];
  return {
    ...told,
    options: input.options,
    summary: summaryOf(told),
    narrative: narrativeOf(told),
    wording: { by: 'template', because: null },
    passed: scan.passed,
    evidence: scan.evidence,
    monorepo: scan.monorepo,
    steps,
    approvals: scan.deployable ? approvalsOf(files, repo, staging) : [],
    rollback: steps.map(({ id, rollback }) => ({ step: id, text: rollback })),
    secrets: lanes.flatMap(({ name, secrets }) =>
      secrets.map((secret) => ({ lane: name, name: secret })),
    ),
    staging,
    thresholds,
  };
}
