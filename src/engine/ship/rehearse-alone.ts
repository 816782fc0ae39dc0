import type { Diagnosis } from '../../domain/ship/medic/diagnosis.ts';
import type { Plan, PlanLane } from '../../domain/ship/plan/plan.ts';
import type { RunOptions } from '../../domain/ship/run/run.ts';
import type { Variables } from '../../ports/ship.ts';
import type { Journal } from './journal.ts';
import { rehearseLane } from './rehearse-lane.ts';
import type { StageOutcome } from './voyage.ts';
import type { ShipWorld } from './world.ts';

export type LaneRehearsal = {
  readonly lane: string;
  readonly outcome: StageOutcome;
  readonly diagnosis: Diagnosis | null;
};

/** Rehearses the lanes of a plan outside any run; nothing is kept. */
export async function rehearseAlone(
  world: Pick<ShipWorld, 'rehearsal' | 'sources' | 'tools'>,
  plan: Plan,
  wish: {
    readonly lanes: readonly PlanLane[];
    readonly options: RunOptions;
    readonly env: Variables;
    readonly signal: AbortSignal;
    readonly note: (lane: string, text: string) => void;
  },
): Promise<readonly LaneRehearsal[]> {
  const done: LaneRehearsal[] = [];
  for (const lane of wish.lanes) {
    const diagnoses: Diagnosis[] = [];
    const journal: Pick<Journal, 'note' | 'diagnose'> = {
      note: async (_, name, text) => wish.note(name ?? lane.name, text),
      diagnose: async (diagnosis) => {
        diagnoses.push(diagnosis);
      },
    };
    const { options, env, signal } = wish;
    const mark = plan.repo;
    const outcome = await rehearseLane({ world, journal, plan, options, mark, env, signal }, lane);
    done.push({ lane: lane.name, outcome, diagnosis: diagnoses.at(-1) ?? null });
    if (outcome.kind === 'stopped') break;
  }
  return done;
}
