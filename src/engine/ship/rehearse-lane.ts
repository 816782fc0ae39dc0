import type { Diagnosis } from '../../domain/ship/medic/diagnosis.ts';
import { laneJson } from '../../domain/ship/scan/lane-json.ts';
import type { PlanLane } from '../../domain/ship/plan/plan.ts';
import { FAULT_VARIABLE, rehearsalLane } from '../../domain/ship/run/rehearsal-request.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { RehearsalEvent, RehearsalReport } from '../../ports/rehearsal.ts';
import { medicEvidence, rehearsalFacts, whyOf } from './rehearsal-evidence.ts';
import type { Journal } from './journal.ts';
import type { StageOutcome, Voyage } from './voyage.ts';
import type { ShipWorld } from './world.ts';

/** The part of a driving that a rehearsal needs. */
export type Rehearsing = Pick<Voyage, 'plan' | 'options' | 'mark' | 'env' | 'signal'> & {
  readonly world: Pick<ShipWorld, 'rehearsal' | 'sources' | 'tools'>;
  readonly journal: Pick<Journal, 'note' | 'diagnose'>;
};

/** How often Convoy mends what is its own, and how often it asks again when there was no answer. */
const REPAIRS = 2;
const REPEATS = 1;

/** Rehearses one lane, and finds out why when it does not pass. */
export async function rehearseLane(voyage: Rehearsing, planned: PlanLane): Promise<StageOutcome> {
  if (!voyage.options.realRehearsal)
    return { kind: 'skipped', evidence: { reason: 'asked to go without a rehearsal' } };
  let lane = planned;
  let errors = 0;
  for (let repairs = 0; ;) {
    const report = await rehearseOnce(voyage, lane);
    const evidence = rehearsalFacts(report);
    const { verdict } = report;
    if (verdict.status === 'healthy') return { kind: 'succeeded', evidence };
    if (verdict.status === 'stopped' || voyage.signal.aborted) return { kind: 'stopped' };
    if (verdict.status === 'errored') {
      if (errors >= REPEATS) return { kind: 'errored', evidence, reason: whyOf(verdict) };
      errors += 1;
      continue;
    }
    const diagnosis = await diagnosed(voyage, lane, report);
    if (diagnosis.owned !== 'convoy' || repairs >= REPAIRS)
      return { kind: 'failed', evidence: { ...evidence, repairs }, reason: diagnosis.rootCause };
    repairs += 1;
    lane = await regenerated(voyage, lane, repairs);
  }
}

async function rehearseOnce(voyage: Rehearsing, lane: PlanLane): Promise<RehearsalReport> {
  const { world, plan, options, env, journal, signal } = voyage;
  const notes: Promise<void>[] = [];
  const fault = options.injectFailure === 'rehearse' ? { [FAULT_VARIABLE]: 'errors' } : {};
  const { max_error_rate, max_p99_ms, load } = plan.thresholds;
  const report = await world.rehearsal.run(
    {
      root: plan.repo.path,
      lane: rehearsalLane(lane),
      env: { ...lane.start_env, ...env, ...fault },
      thresholds: { maxErrorRate: max_error_rate, maxP99Ms: max_p99_ms },
      load: { rate: load.rate, seconds: load.seconds, warmupSeconds: load.warmup_seconds },
      probePaths: options.probePaths,
      previous: null,
      trust: { repository: plan.repo.origin === 'directory' || options.trustRepo },
    },
    (event) => {
      const text = noteOf(event);
      if (text !== null) notes.push(journal.note('rehearse', lane.name, text).catch(() => {}));
    },
    signal,
  );
  await Promise.all(notes);
  return report;
}

/** What is worth seeing while it happens; output itself is never put into the ledger. */
function noteOf(event: RehearsalEvent): string | null {
  switch (event.kind) {
    case 'isolation':
      return `isolation: ${event.isolation}`;
    case 'step-started':
      return event.command === null ? null : `${event.step}: ${event.command}`;
    case 'step-ended':
      return event.report.outcome === 'done' ? null : `${event.step} ${event.report.outcome}`;
    case 'ready':
      return `answers after ${Math.round(event.ms)} ms`;
    case 'note':
      return event.text;
    case 'judged':
      return `${event.verdict.status}: ${whyOf(event.verdict)}`;
    case 'output':
    case 'probed':
      return null;
    default:
      return unreachable(event);
  }
}

async function diagnosed(
  voyage: Rehearsing,
  lane: PlanLane,
  report: RehearsalReport,
): Promise<Diagnosis> {
  const { world, plan, journal, env, mark } = voyage;
  const { verdict } = report;
  const medic = await world.tools.medic(plan.repo.path, Object.values(env));
  const found =
    verdict.status === 'missing-toolchain'
      ? null
      : (
          await medic.diagnose(
            medicEvidence(lane, report, {
              env: Object.keys(env),
              changed: mark.dirty,
              thresholds: plan.thresholds,
              ownedFiles: plan.files.map(({ path }) => path),
            }),
          )
        ).diagnosis;
  const diagnosis = found ?? plainCard(lane, report);
  await journal.diagnose(diagnosis);
  return diagnosis;
}

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

/** Makes anew what Convoy itself concluded about the lane. */
async function regenerated(voyage: Rehearsing, lane: PlanLane, round: number): Promise<PlanLane> {
  const { world, plan, journal } = voyage;
  await journal.note(
    'rehearse',
    lane.name,
    `Convoy's own part is made again (${round} of ${REPAIRS})`,
  );
  const fresh = await world.sources.scan(plan.repo.path);
  const found = fresh.lanes.find(({ name }) => name === lane.name);
  return found === undefined ? lane : { ...laneJson(found), platform: lane.platform };
}
