import type { PlanStaging } from '../../domain/ship/plan/plan.ts';
import { SECRETS_FILE, stagedLanes } from '../../domain/ship/plan/secret-staging.ts';
import { passGate } from './gate.ts';
import { performStage, type StageOutcome, type Standing, type Voyage } from './voyage.ts';

type StagedLane = PlanStaging['lanes'][number];

/** Hands secrets to the platforms that take them, lane by lane, each after a yes to these names. */
export async function stageSecrets(voyage: Voyage): Promise<Standing | null> {
  for (const staged of stagedLanes(voyage.plan.staging)) {
    const standing = await stageLane(voyage, staged);
    if (standing !== null) return standing;
  }
  return null;
}

async function stageLane(voyage: Voyage, staged: StagedLane): Promise<Standing | null> {
  const { world, plan } = voyage;
  const lane = plan.lanes.find(({ name }) => name === staged.lane) ?? null;
  const values = await valuesFor(voyage, staged);
  if (typeof values === 'string') return { kind: 'rest', status: 'paused', reason: values };
  let gate: Standing | null = null;
  const outcome = await performStage(
    voyage,
    'secrets',
    lane,
    async () => {
      gate = await passGate(voyage, {
        kind: 'stage_secrets',
        lane: staged.lane,
        summary: `Hand ${staged.staged.join(', ')} of ${staged.lane} to ${staged.platform}.`,
        details: { platform: staged.platform, file: SECRETS_FILE, names: staged.staged },
      });
      return gate === null ? hand(voyage, staged, values) : { kind: 'stopped' };
    },
    // A value that was changed since has to be handed over again.
    () => world.secrets.holds(plan.repo.path, staged.lane, values),
  );
  if (gate !== null) return gate;
  return outcome.kind === 'stopped'
    ? { kind: 'rest', status: 'interrupted', reason: 'Stopped while handing secrets over.' }
    : null;
}

/** What the file holds now of the names that were planned; the reason when it cannot be used. */
async function valuesFor(
  { world, plan }: Voyage,
  { staged }: StagedLane,
): Promise<Readonly<Record<string, string>> | string> {
  const file = await world.sources.secrets(plan.repo.path);
  if (file.kind === 'absent') return `${SECRETS_FILE} is gone; put it back, then convoy resume.`;
  if (file.kind === 'refused') return file.reason;
  const gone = staged.filter((name) => file.values[name] === undefined);
  if (gone.length > 0) return `${SECRETS_FILE} no longer holds ${gone.join(', ')}.`;
  return Object.fromEntries(staged.map((name) => [name, file.values[name] ?? '']));
}

async function hand(
  { world, plan }: Voyage,
  { lane, platform, staged }: StagedLane,
  values: Readonly<Record<string, string>>,
): Promise<StageOutcome> {
  await world.secrets.stage(plan.repo.path, lane, values);
  return { kind: 'succeeded', evidence: { platform, names: staged } };
}
