import type { Diagnosis } from '../../domain/ship/medic/diagnosis.ts';
import type { PlanLane } from '../../domain/ship/plan/plan.ts';
import type { Found } from '../../ports/medic.ts';
import type { RehearsalReport } from '../../ports/rehearsal.ts';
import { inOrder } from './in-order.ts';
import { medicStep } from './medic-steps.ts';
import type { Previous } from './previous-release.ts';
import { medicEvidence, whyOf } from './rehearsal-evidence.ts';
import type { Rehearsing } from './rehearse-lane.ts';

type Given = {
  /** Files that Convoy wrote and may write again. */
  readonly ours: readonly string[];
  readonly previous: Previous | null;
};

/** Lets the medic look into a rehearsal that did not pass, and writes its card into the journal. */
export async function diagnoseLane(
  voyage: Rehearsing,
  lane: PlanLane,
  report: RehearsalReport,
  given: Given,
): Promise<Diagnosis> {
  const { journal } = voyage;
  const isKnown = report.verdict.status === 'missing-toolchain';
  const found = isKnown ? null : await examine(voyage, lane, report, given);
  const diagnosis = { ...(found?.diagnosis ?? plainCard(lane, report)), ...howFound(found) };
  await journal.diagnose(diagnosis);
  return diagnosis;
}

async function examine(
  { world, plan, journal, env, mark, options, signal, secrets }: Rehearsing,
  lane: PlanLane,
  report: RehearsalReport,
  given: Given,
): Promise<Found> {
  const steps = inOrder();
  const medic = await world.tools.medic({
    root: plan.repo.path,
    secrets: [...Object.values(env), ...secrets],
    ai: options.ai ?? null,
    onStep: (step) => steps.tell(() => journal.medicStep(medicStep(lane.name, step))),
    signal,
  });
  const found = await medic.diagnose(
    medicEvidence(lane, report, {
      env: Object.keys(env),
      changed: mark.dirty,
      thresholds: plan.thresholds,
      ownedFiles: given.ours,
      previous: given.previous,
    }),
  );
  await steps.done();
  return found;
}

const howFound = (found: Found | null): Pick<Diagnosis, 'by' | 'because'> => ({
  ...(found?.by === undefined ? {} : { by: found.by }),
  ...(found?.because == null ? {} : { because: found.because }),
});

/** The card when there is nothing to find out beyond what the rehearsal says itself. */
function plainCard(lane: PlanLane, report: RehearsalReport): Diagnosis {
  const { verdict } = report;
  const missing = verdict.status === 'missing-toolchain';
  return {
    lane: lane.name,
    rootCause: whyOf(verdict),
    classification: missing ? 'infra' : 'code',
    confidence: missing ? 'high' : 'low',
    owned: 'developer',
    fix: missing
      ? `Install ${verdict.missing.join(', ')} on this machine, or go without a rehearsal (--no-real-rehearsal).`
      : 'Look at the end of the log, mend it, and convoy resume.',
    reproduction: lane.start ?? '',
    evidence: report.logTail
      .trim()
      .split('\n')
      .slice(-3)
      .filter((text) => text !== '')
      .map((text) => ({ text })),
  };
}
