import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { gitAuthor } from '../adapters/author/git-author.ts';
import { openLocalSecrets } from '../adapters/plans/local-secrets.ts';
import { openPlanFiles } from '../adapters/plans/plan-files.ts';
import { readingGit } from '../adapters/plans/reading-git.ts';
import { openRunVariables } from '../adapters/plans/run-variables.ts';
import { openSources } from '../adapters/plans/sources.ts';
import { directoryTree } from '../adapters/scan/directory-tree.ts';
import { scan } from '../adapters/scan/scan.ts';
import type { ShipServices } from '../api/ship-services.ts';
import type { Environment } from '../config/environment.ts';
import type { Workspace } from '../config/workspace.ts';
import { authorLanes } from '../domain/ship/plan/author-lanes.ts';
import { fileRisks } from '../domain/ship/plan/file-risks.ts';
import type { PlanThresholds } from '../domain/ship/plan/plan.ts';
import type { PlatformName } from '../domain/ship/scan/lane.ts';
import { createPlanner } from '../engine/ship/planner.ts';
import { err } from '../lib/result.ts';
import type { Planner, PlanFiles, PlanWriter, Sources } from '../ports/plans.ts';
import type { SettingsStore } from '../ports/settings.ts';
import { modelOf } from './model.ts';
import { processStart } from './process-start.ts';
import type { Variables } from './services.ts';
import { operatorToken } from './token.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Plans and runs of one workspace. */
export function shipServices(
  workspace: Workspace,
  env: Variables,
  environment: Environment,
  settings: SettingsStore,
): ShipServices {
  const sources = sourcesFor(join(workspace.dir, 'clones'), env);
  return {
    sources,
    planner: plannerOver(sources, env, settings),
    plans: openPlanFiles({
      dir: environment.plansDir ?? join(workspace.dir, 'plans'),
      key: operatorToken(workspace.dir),
      digest: sha256,
    }),
    variables: openRunVariables(join(workspace.dir, 'run-env')),
    secrets: openLocalSecrets(join(workspace.dir, 'secrets')),
    files: plannedFiles(env),
    isGone,
    sweep: sweepRehearsals,
  };
}

/** Makes plans where there is no workspace; addresses cannot be cloned there. */
export const planner = (env: Variables, clonesDir: string | null = null): Planner =>
  plannerOver(sourcesFor(clonesDir, env), env, null);

export const sourcesFor = (clonesDir: string | null, env: Variables): Sources =>
  openSources({ clonesDir, env, tree: directoryTree, scan });

const plannerOver = (sources: Sources, env: Variables, settings: SettingsStore | null): Planner =>
  createPlanner({
    sources,
    files: plannedFiles(env),
    settings: () => shipSettings(settings),
    writer: () => planWriter(env, settings),
    digest: sha256,
    now: Date.now,
  });

async function planWriter(
  env: Variables,
  settings: SettingsStore | null,
): Promise<PlanWriter | null> {
  const model = await modelOf(env, settings);
  if (model === null) return null;
  const { wordWithModel } = await import('../adapters/plans/model-words.ts');
  return (plan) => wordWithModel(model, plan);
}

/** Never a commit, so never a time either: the same tree gives the same plan. */
const NO_TIME = '1970-01-01T00:00:00.000Z';

export function plannedFiles(env: Variables): PlanFiles {
  return async (root, project, lanes, mark, improved) => {
    const depth = mark.prefix === '.' ? 0 : mark.prefix.split('/').length;
    const workTree = resolve(root, ...Array.from({ length: depth }, () => '..'));
    const nowhere = {
      kind: 'errored',
      reason: 'io',
      what: 'plan',
      detail: 'nothing is written',
    } as const;
    const author = gitAuthor({
      workTree,
      scratch: workTree,
      git: readingGit(workTree, env, mark.git),
      worktrees: { acquire: async () => err(nowhere), release: async () => err(nowhere) },
    });
    const plan = await author.plan({
      lanes: authorLanes(lanes, mark.prefix),
      project,
      generatedAt: mark.committed_at ?? NO_TIME,
      ...(improved === undefined ? {} : { improved }),
    });
    if (plan.ok) return { files: plan.value.files, risks: fileRisks(plan.value, mark) };
    const why = plan.error.kind === 'errored' ? plan.error.detail : plan.error.kind;
    const message = `Deployment files could not be planned: ${why}`;
    return {
      files: [],
      risks: [{ level: 'warn', code: 'files-unknown', message, lane: null, files: [] }],
    };
  };
}

const LOAD = { rate: 25, seconds: 3, warmup_seconds: 1 };
const LIMITS = { max_error_rate: 0.05, max_p99_ms: 1000 };

function shipSettings(store: SettingsStore | null): {
  preference: PlatformName | null;
  thresholds: PlanThresholds;
} {
  const read = store?.read();
  if (store === null || read?.ok !== true)
    return { preference: null, thresholds: { ...LIMITS, load: LOAD } };
  const { platform, maxErrorRate, maxP99Ms } = read.value.ship;
  const explained = store.explain();
  const isSet =
    explained.ok &&
    explained.value.some(({ key, source }) => key === 'ship.platform' && source !== 'default');
  return {
    preference: isSet ? platform : null,
    thresholds: { max_error_rate: maxErrorRate, max_p99_ms: maxP99Ms, load: LOAD },
  };
}

/** What is left when a rehearsal and its watchdog were both killed. */
export async function sweepRehearsals(): Promise<void> {
  const { clearAbandoned } = await import('../adapters/rehearsal/scratch.ts');
  await clearAbandoned();
}

/** A holder on this machine whose process is gone need not be waited for. */
export function isGone(holder: string): boolean {
  const [host, pid, start] = holder.split(' ');
  return host === hostname() && processStart(Number(pid)) !== Number(start);
}

export const holderName = (instance: string): string =>
  [hostname(), process.pid, processStart(process.pid), instance].join(' ');
