import type { Diagnosis } from '../../domain/ship/medic/diagnosis.ts';
import type { MedicStep, Run, RunCommand, ShipStage } from '../../domain/ship/run/run.ts';
import { runAggregate } from '../../ledger/aggregates/run.ts';
import { changeRun } from '../../ledger/runs.ts';
import { SHIP_ENGINE, type ShipWorld } from './world.ts';

/** The run as its own driver sees it; every change is written before anything builds on it. */
export type Journal = {
  readonly id: string;
  now(): Promise<Run>;
  write(command: RunCommand): Promise<Run>;
  note(stage: ShipStage, lane: string | null, text: string): Promise<void>;
  diagnose(diagnosis: Diagnosis): Promise<void>;
  medicStep(step: MedicStep): Promise<void>;
};

/** Somebody else has ended the run; whoever drives it must let go. */
export class RunTaken extends Error {}

export function journalOf(world: ShipWorld, id: string): Journal {
  const write = async (command: RunCommand): Promise<Run> => {
    const changed = await world.ledger.write(SHIP_ENGINE, (tx) => changeRun(tx, id, command));
    if (!changed.ok) throw new RunTaken(`${id} is ${changed.error.status}`);
    return changed.value;
  };
  return {
    id,
    write,
    now: async () => {
      const stored = await runAggregate.load(world.ledger.db, id);
      if (stored === null) throw new Error(`There is no run ${id}`);
      return stored.state;
    },
    note: async (stage, lane, text) => {
      await write({ type: 'note', stage, lane, text });
    },
    diagnose: async (diagnosis) => {
      await write({ type: 'diagnose', diagnosis });
    },
    medicStep: async (step) => {
      await write({ type: 'medic-step', ...step });
    },
  };
}
