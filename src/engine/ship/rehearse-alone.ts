import type { Diagnosis } from '../../domain/ship/medic/diagnosis.ts';
import type { Plan, PlanLane } from '../../domain/ship/plan/plan.ts';
import type { RunOptions } from '../../domain/ship/run/run.ts';
import type { Variables } from '../../ports/ship.ts';
import type { Journal } from './journal.ts';
import { rehearseLane } from './rehearse-lane.ts';
import { secretValuesOf } from './secret-values.ts';
import type { StageOutcome } from './voyage.ts';
import type { ShipWorld } from './world.ts';

export type LaneRehearsal = {
  readonly lane: string;
  readonly outcome: StageOutcome;
  readonly diagnosis: Diagnosis | null;
};

/** Rehearses the lanes of a plan outside any run; nothing is kept. */
export async function rehearseAlone(
  world: Pick<ShipWorld, 'rehearsal' | 'sources' | 'tools' | 'files'>,
  plan: Plan,
  wish: {
    readonly lanes: readonly PlanLane[];
    readonly options: RunOptions;
    readonly env: Variables;
    readonly signal: AbortSignal;
    readonly note: (lane: string, text: string) => void;
  },
): Promise<readonly LaneRehearsal[]> {
  const secrets = await secretValuesOf(world.sources, plan.repo.path);
  const done: LaneRehearsal[] = [];
  for (const lane of wish.lanes) {
    const diagnoses: Diagnosis[] = [];
    const journal: Pick<Journal, 'note' | 'diagnose' | 'medicStep'> = {
      note: async (_, name, text) => wish.note(name ?? lane.name, text),
      diagnose: async (diagnosis) => {
        diagnoses.push(diagnosis);
      },
      medicStep: async ({ step, tool, text }) => {
        if (step === 'called') wish.note(lane.name, `medic: ${tool ?? ''} ${text}`);
        if (step === 'retried') wish.note(lane.name, `medic: asks again: ${text}`);
      },
    };
    const { options, env, signal } = wish;
    const voyage = { world, journal, plan, options, mark: plan.repo, env, signal, secrets };
    const outcome = await rehearseLane(voyage, lane);
    done.push({ lane: lane.name, outcome, diagnosis: diagnoses.at(-1) ?? null });
    if (outcome.kind === 'stopped') break;
  }
  return done;
}
