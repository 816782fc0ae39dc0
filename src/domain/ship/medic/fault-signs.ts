import type { Evidence, Exit, Probe } from './evidence.ts';

const ENOUGH_SAMPLES = 100;
const FEWEST_SAMPLES = 5;

/** Why we believe that something is wrong at all; empty when nothing says so. */
export function faultSigns(whole: Evidence): string[] {
  const evidence = withoutOurEnding(whole);
  const signs = [
    ...exitSigns(evidence),
    ...(evidence.timedOutMs === null ? [] : ['timeout']),
    ...evidence.probes.flatMap((probe) => probeSigns(probe).map((sign) => `${sign} ${probe.path}`)),
  ];
  return signs.length > 0 ? signs : [...portSigns(evidence), ...wordSigns(evidence)];
}

export const isBreached = (probe: Probe): boolean => probeSigns(probe).length > 0;

export function isSlow(probe: Probe): boolean {
  const limit = probe.thresholds.maxP99Ms;
  // One slow answer among a few dozen makes a high p99 and proves nothing.
  const sustained = probe.samples >= ENOUGH_SAMPLES || (probe.p95 ?? 0) > limit;
  return probe.samples >= FEWEST_SAMPLES && (probe.p99 ?? 0) > limit && sustained;
}

/** The one status that every answer had, when it is a refusal. */
export function onlyRefusal(probe: Probe): number | null {
  const seen = Object.entries(probe.statuses).filter(([, count]) => count > 0);
  const code = seen.length === 1 ? Number(seen[0]?.[0]) : 0;
  return code >= 400 && code < 500 ? code : null;
}

const isStep = (stage: Evidence['stage']): boolean => stage === 'install' || stage === 'build';

function exitSigns({ exit, stage, probes, timedOutMs }: Evidence): string[] {
  // A step that neither ended nor ran out of time could not be started at all.
  if (exit === null) return isStep(stage) && timedOutMs === null ? ['not started'] : [];
  if (exit.code !== 0) return [`exit ${exit.signal ?? exit.code}`];
  const answered = probes.some(
    (probe) => probe.samples > 0 && probe.statuses['0'] !== probe.samples,
  );
  return (stage === 'start' || stage === 'ready') && !answered ? ['exit 0'] : [];
}

/**
 * The evidence without an ending that was our own doing.
 *
 * We stop a service that passed, and one that we waited for in vain; neither tells anything about it.
 */
export function withoutOurEnding(evidence: Evidence): Evidence {
  const { exit, timedOutMs, stage } = evidence;
  if (exit === null) return evidence;
  const waited = timedOutMs !== null && (isOurs(exit) || isKilled(exit));
  return waited || (isOurs(exit) && !isStep(stage)) ? { ...evidence, exit: null } : evidence;
}

export const isKilled = ({ code, signal }: Exit): boolean => signal === 'SIGKILL' || code === 137;

const isOurs = ({ code, signal }: Exit): boolean =>
  signal === 'SIGTERM' || signal === 'SIGINT' || code === 143 || code === 130;

function probeSigns(probe: Probe): string[] {
  const signs: string[] = [];
  const failed = probe.errorRate > probe.thresholds.maxErrorRate && probe.samples > 0;
  if (failed && (probe.samples >= FEWEST_SAMPLES || probe.errorRate === 1)) signs.push('errors');
  if (isSlow(probe)) signs.push('slow');
  if (onlyRefusal(probe) !== null) signs.push('refused');
  return signs;
}

function portSigns({ port, stage, probes }: Evidence): string[] {
  if (port?.expected == null || stage === 'install' || stage === 'build') return [];
  const answered = probes.some((probe) => probe.samples > 0);
  const elsewhere = port.listening.length > 0 && !port.listening.includes(port.expected);
  return elsewhere && !answered ? ['port'] : [];
}

const DIED =
  /^(?:Uncaught |Unhandled |panic: |fatal error: |thread '.*' panicked|\*\* \(|Traceback \(most recent|Node\.js v\d|npm ERR! |npm error |PHP Fatal error|FATAL ERROR)/m;

/** Without an exit code and without probes, only words that a dying process prints may speak. */
function wordSigns({ exit, probes, log }: Evidence): string[] {
  if (exit !== null || probes.length > 0 || !DIED.test(log)) return [];
  const last = [...log.matchAll(new RegExp(DIED.source, 'gm'))].at(-1)?.index ?? 0;
  return WENT_ON.test(log.slice(last)) ? [] : ['words'];
}

/** Who reports success after the bad words did not die of them. */
const WENT_ON =
  /\b(?:INFO|succeeded|recovered|reconnected|connected|listening|ready|completed)\b|"level":(?:"info"|30)\b|\blevel=info\b/;
