import type { PlanLane } from '../../domain/ship/plan/plan.ts';
import {
  FAULT_VARIABLE,
  overlayOf,
  rehearsalLane,
} from '../../domain/ship/run/rehearsal-request.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { RehearsalEvent, RehearsalReport } from '../../ports/rehearsal.ts';
import { diagnoseLane } from './diagnose-lane.ts';
import { rehearsalFacts, whyOf } from './rehearsal-evidence.ts';
import { inOrder } from './in-order.ts';
import type { Journal } from './journal.ts';
import type { Previous } from './previous-release.ts';
import { type OwnPart, regenerate, type Repair, rewritten } from './repair-lane.ts';
import type { Facts, StageOutcome, Voyage } from './voyage.ts';
import type { ShipWorld } from './world.ts';

/** The part of a driving that a rehearsal needs. */
export type Rehearsing = Pick<
  Voyage,
  'plan' | 'options' | 'mark' | 'env' | 'signal' | 'secrets'
> & {
  readonly world: Pick<ShipWorld, 'rehearsal' | 'sources' | 'tools' | 'files'>;
  readonly journal: Pick<Journal, 'note' | 'diagnose' | 'medicStep'>;
};

/** How often Convoy mends what is its own, and how often it asks again when there was no answer. */
const REPAIRS = 2;
const REPEATS = 1;

/** Rehearses one lane, and finds out why when it does not pass. */
export async function rehearseLane(
  voyage: Rehearsing,
  planned: PlanLane,
  previous: Previous | null = null,
): Promise<StageOutcome> {
  if (!voyage.options.realRehearsal)
    return { kind: 'skipped', evidence: { reason: 'asked to go without a rehearsal' } };
  let own: OwnPart = { lane: planned, files: voyage.plan.files };
  const repairs: Repair[] = [];
  for (;;) {
    const report = await rehearsePatiently(voyage, own, previous);
    const evidence = {
      ...rehearsalFacts(report, previous),
      ...(repairs.length === 0 ? {} : { repairs, files: rewritten(voyage.plan.files, own.files) }),
    };
    const settled = settledBy(report, evidence);
    if (settled !== null || voyage.signal.aborted) return settled ?? { kind: 'stopped' };
    const ours = own.files.filter(({ action }) => action !== 'skip').map(({ path }) => path);
    const diagnosis = await diagnoseLane(voyage, own.lane, report, { ours, previous });
    if (voyage.signal.aborted) return { kind: 'stopped' };
    if (diagnosis.owned !== 'convoy' || repairs.length >= REPAIRS)
      return { kind: 'failed', evidence, reason: diagnosis.rootCause };
    const { repair, ...made } = await regenerate(voyage, own, diagnosis, repairs.length + 1);
    own = made;
    repairs.push(repair);
    await voyage.journal.note('rehearse', planned.name, repairWords(repair));
  }
}

/** No answer is no verdict: it is asked for once more. */
async function rehearsePatiently(
  voyage: Rehearsing,
  own: OwnPart,
  previous: Previous | null,
): Promise<RehearsalReport> {
  for (let errors = 0; ; errors += 1) {
    const report = await rehearseOnce(voyage, own, previous);
    const again = report.verdict.status === 'errored' && errors < REPEATS;
    if (!again || voyage.signal.aborted) return report;
  }
}

/** What needs no medic. */
function settledBy({ verdict }: RehearsalReport, evidence: Facts): StageOutcome | null {
  switch (verdict.status) {
    case 'healthy':
      return { kind: 'succeeded', evidence };
    case 'stopped':
      return { kind: 'stopped' };
    case 'errored':
      return { kind: 'errored', evidence, reason: whyOf(verdict) };
    default:
      return null;
  }
}

function repairWords({ round, rewrote, commands }: Repair): string {
  const what = [...rewrote, ...(commands ? ['the commands'] : [])];
  const result = what.length === 0 ? 'it came out as before' : `new: ${what.join(', ')}`;
  return `Convoy's own part is made again (${round} of ${REPAIRS}); ${result}`;
}

async function rehearseOnce(
  voyage: Rehearsing,
  { lane, files }: OwnPart,
  previous: Previous | null,
): Promise<RehearsalReport> {
  const { world, plan, options, env, journal, signal, secrets } = voyage;
  const notes = inOrder();
  const fault = options.injectFailure === 'rehearse' ? { [FAULT_VARIABLE]: 'errors' } : {};
  const { max_error_rate, max_p99_ms, load } = plan.thresholds;
  const report = await world.rehearsal.run(
    {
      root: plan.repo.path,
      lane: rehearsalLane(lane),
      env: { ...env, ...fault },
      overlay: overlayOf(files, plan.repo.prefix),
      secrets,
      thresholds: { maxErrorRate: max_error_rate, maxP99Ms: max_p99_ms },
      load: { rate: load.rate, seconds: load.seconds, warmupSeconds: load.warmup_seconds },
      probePaths: options.probePaths,
      previous: previous?.stats ?? null,
      trust: { repository: plan.repo.origin === 'directory' || options.trustRepo },
    },
    (event) => {
      const text = noteOf(event);
      if (text !== null) notes.tell(() => journal.note('rehearse', lane.name, text));
    },
    signal,
  );
  await notes.done();
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
