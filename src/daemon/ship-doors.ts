import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { createRehearsal } from '../adapters/rehearsal/rehearse.ts';
import type { Services } from '../api/context.ts';
import { planView } from '../api/handlers/ship-plans.ts';
import { draftProblem } from '../api/ship-problems.ts';
import { cardOf } from '../api/view/run-view.ts';
import { environment } from '../config/environment.ts';
import { findWorkspace } from '../config/workspace.ts';
import type { Problem } from '../contract/problem.ts';
import type { DiagnosisJson, PlanJson } from '../contract/schemas/ship.ts';
import type { PlatformName } from '../domain/ship/scan/lane.ts';
import type { Plan } from '../domain/ship/plan/plan.ts';
import { USUAL_OPTIONS } from '../domain/ship/run/run-options.ts';
import { driveRun } from '../engine/ship/drive-run.ts';
import { rehearseAlone, type LaneRehearsal } from '../engine/ship/rehearse-alone.ts';
import type { ShipWorld } from '../engine/ship/world.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { problemOf } from './settings-problem.ts';
import { livingDaemon } from './daemon-file.ts';
import { demoRepository } from './demo-repository.ts';
import { ledgerProblem } from './in-process.ts';
import { modelOf } from './model.ts';
import { openServices, type Variables } from './services.ts';
import { holderName, isGone, plannedFiles, planner, sha256, sourcesFor } from './ship.ts';
import { shipTools } from './ship-tools.ts';

export type PlanDoorWish = {
  readonly env: Variables;
  readonly target: string;
  readonly platform: PlatformName | null;
  readonly parts: readonly string[];
  readonly flyApp: string | undefined;
  readonly ai: boolean | undefined;
};

export type DriveDoorWish = {
  readonly dir: string;
  readonly env: Variables;
  readonly run: string;
  readonly wait: boolean;
  readonly signal: AbortSignal;
};

export type RehearseDoorWish = PlanDoorWish & {
  readonly lanes: readonly string[];
  readonly probePaths: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly envFile: string | null;
  readonly trustRepo: boolean;
  readonly clonesDir: string | null;
  readonly signal: AbortSignal;
  readonly note: (lane: string, text: string) => void;
};

export type RehearsedLane = {
  readonly lane: string;
  readonly status: string;
  readonly reason: string | null;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly diagnosis: DiagnosisJson | null;
};

/** Where the program itself is installed, told from the file that started it. */
const rootOf = (launcher: readonly string[]): string => dirname(dirname(launcher[1] ?? ''));

/** Ways to ship that need no workspace, or the engine in this very process. */
export const shipDoors = (version: string, launcher: readonly string[]) => ({
  plan: async ({ env, ...wish }: PlanDoorWish): Promise<Result<PlanJson, Problem>> => {
    const drafted = await planner(env).draft({ ...wish, demo: false });
    return drafted.ok ? ok(planView(drafted.value)) : err(draftProblem(drafted.error));
  },
  drive: (wish: DriveDoorWish) => drive(wish, version, rootOf(launcher)),
  rehearse: (wish: RehearseDoorWish) => rehearse(wish, rootOf(launcher)),
  demo: ({ dir, env }: { dir: string; env: Variables }) =>
    demoRepository(
      join(rootOf(launcher), 'examples', 'service'),
      join(dir, 'demo', 'service'),
      env,
    ),
});

/** Carries a run out in this process, unless a daemon does it. */
async function drive(
  wish: DriveDoorWish,
  version: string,
  root: string,
): Promise<Result<{ by: 'daemon' | 'here' }, Problem>> {
  const settings = environment(wish.env);
  if (!settings.ok) return err(problemOf(settings.error));
  const workspace = findWorkspace(wish.dir);
  if (!workspace.ok) return err(problemOf(workspace.error, 'not_found'));
  if (settings.value.token !== null || livingDaemon(workspace.value.dir) !== null)
    return ok({ by: 'daemon' });
  let services: Services;
  try {
    const self = { version, instance: 'in-process', engine: false, dashboard: null };
    services = await openServices(workspace.value, wish.env, settings.value, self);
  } catch (error) {
    return err(ledgerProblem(error, workspace.value));
  }
  try {
    const world = await shipWorld(services, wish.env, root, randomUUID());
    const driven = await driveRun(world, wish.run, wish);
    return ok({ by: driven.ok ? 'here' : 'daemon' });
  } finally {
    await services.ledger.close();
  }
}

/** What runs reach on this machine. */
export async function shipWorld(
  services: Pick<Services, 'ledger' | 'ids' | 'ship' | 'settings'>,
  env: Variables,
  root: string,
  instance: string,
): Promise<ShipWorld> {
  const { plans, sources, variables, files, secrets } = await services.ship();
  return {
    ledger: services.ledger,
    ids: services.ids,
    plans,
    sources,
    variables,
    files,
    secrets,
    rehearsal: rehearsalFor(env, root),
    tools: shipTools(env, () => modelOf(env, services.settings)),
    digest: sha256,
    holder: holderName(instance),
    isGone,
  };
}

/** Convoy's own tools are not the repository's. */
function rehearsalFor(env: Variables, root: string) {
  const own = join(root, 'node_modules', '.bin');
  const path = (env['PATH'] ?? '').split(':').filter((entry) => entry !== own);
  return createRehearsal({ path: path.join(':') });
}

async function rehearse(
  wish: RehearseDoorWish,
  root: string,
): Promise<Result<{ plan: PlanJson; lanes: readonly RehearsedLane[] }, Problem>> {
  const { env, target, platform } = wish;
  const asked = { target, platform, demo: false, ai: false };
  const drafted = await planner(env, wish.clonesDir).draft(asked);
  if (!drafted.ok) return err(draftProblem(drafted.error));
  const plan = drafted.value;
  const lanes = wanted(plan, wish.lanes);
  if (!lanes.ok) return lanes;
  const file = await variablesIn(wish.envFile);
  if (!file.ok) return file;
  const variables = { ...file.value, ...wish.variables };
  const world = {
    sources: sourcesFor(wish.clonesDir, env),
    files: plannedFiles(env),
    rehearsal: rehearsalFor(env, root),
    tools: shipTools(env, () => modelOf(env, null)),
  };
  const done = await rehearseAlone(world, plan, {
    lanes: lanes.value,
    options: {
      ...USUAL_OPTIONS,
      trustRepo: wish.trustRepo,
      realAuthor: false,
      probePaths: wish.probePaths,
      env: Object.keys(variables),
      envFile: wish.envFile,
      allowDrift: true,
      ai: wish.ai ?? null,
    },
    env: variables,
    signal: wish.signal,
    note: wish.note,
  });
  return ok({ plan: planView(plan), lanes: done.map(laneView) });
}

async function variablesIn(
  file: string | null,
): Promise<Result<Readonly<Record<string, string>>, Problem>> {
  if (file === null) return ok({});
  const { openRunVariables } = await import('../adapters/plans/run-variables.ts');
  const read = await openRunVariables('').readFile(file);
  return read.ok ? read : err({ kind: 'not_found', code: 'no_env_file', message: read.error });
}

function wanted(plan: Plan, names: readonly string[]): Result<Plan['lanes'], Problem> {
  if (!plan.deployable)
    return err({
      kind: 'refused',
      code: 'not_deployable',
      message: `There is nothing to rehearse in ${plan.repo.name}: ${plan.reason}`,
      remedy: 'Name the directory of a service.',
    });
  const unknown = names.find((name) => !plan.lanes.some((lane) => lane.name === name));
  if (unknown !== undefined)
    return err({
      kind: 'not_found',
      code: 'lane_not_found',
      message: `${plan.repo.name} has no lane ${unknown}.`,
      remedy: `It has ${plan.lanes.map(({ name }) => name).join(', ')}.`,
    });
  return ok(
    names.length === 0 ? plan.lanes : plan.lanes.filter(({ name }) => names.includes(name)),
  );
}

function laneView({ lane, outcome, diagnosis }: LaneRehearsal): RehearsedLane {
  return {
    lane,
    status: outcome.kind,
    reason: 'reason' in outcome ? outcome.reason : null,
    evidence: outcome.kind === 'stopped' ? {} : outcome.evidence,
    diagnosis: diagnosis === null ? null : cardOf(diagnosis),
  };
}
