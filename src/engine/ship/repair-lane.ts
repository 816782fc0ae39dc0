import type { Diagnosis } from '../../domain/ship/medic/diagnosis.ts';
import { laneJson } from '../../domain/ship/scan/lane-json.ts';
import type { PlanFile, PlanLane } from '../../domain/ship/plan/plan.ts';
import { changed } from '../../domain/ship/plan/steps.ts';
import type { Rehearsing } from './rehearse-lane.ts';

/** What Convoy itself made of a lane: how it is run, and the files for it. */
export type OwnPart = { readonly lane: PlanLane; readonly files: readonly PlanFile[] };

export type Repair = {
  readonly round: number;
  readonly cause: string;
  /** Files that came out otherwise than before. */
  readonly rewrote: readonly string[];
  readonly commands: boolean;
};

/**
 * Makes anew what is Convoy's own: the lane from a fresh look at the repository, and the files from
 * that, where there is a model with what the medic found in mind.
 */
export async function regenerate(
  voyage: Rehearsing,
  own: OwnPart,
  diagnosis: Diagnosis,
  round: number,
): Promise<OwnPart & { readonly repair: Repair }> {
  const { world, plan, mark, options } = voyage;
  const fresh = await world.sources.scan(plan.repo.path);
  const found = fresh.lanes.find(({ name }) => name === own.lane.name);
  const lane = found === undefined ? own.lane : { ...laneJson(found), platform: own.lane.platform };
  const lanes = plan.lanes.map((each) => (each.name === lane.name ? lane : each));
  const blamed = diagnosis.evidence.flatMap(({ file }) => file ?? []);
  const improve = own.files.filter(
    ({ path, action }) => action !== 'skip' && blamed.includes(path),
  );
  const improved =
    options.ai === false ? new Map() : await world.tools.improveFiles(improve, diagnosis);
  const made = await world.files(plan.repo.path, plan.repo.name, lanes, mark, improved);
  const files = made.files.length === 0 ? own.files : made.files;
  const before = new Map(own.files.map(({ path, content }) => [path, content]));
  const rewrote = changed(files)
    .filter(({ path, content }) => before.get(path) !== content)
    .map(({ path }) => path);
  const commands = (['install', 'build', 'start', 'migrate'] as const).some(
    (field) => lane[field] !== own.lane[field],
  );
  return { lane, files, repair: { round, cause: diagnosis.rootCause, rewrote, commands } };
}

/** The files of a lane's rehearsal that are not those of the plan; the author writes these. */
export const rewritten = (
  planned: readonly PlanFile[],
  files: readonly PlanFile[],
): readonly PlanFile[] => {
  const before = new Map(planned.map(({ path, content }) => [path, content]));
  return changed(files).filter(({ path, content }) => before.get(path) !== content);
};
