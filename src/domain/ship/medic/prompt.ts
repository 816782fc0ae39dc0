import type { Verdict } from './diagnosis.ts';
import type { Evidence, Probe } from './evidence.ts';
import { fence, fenceRule } from './prompt-fence.ts';

export type PromptTerms = {
  /** Closes the fence around what comes from outside. */
  readonly mark: string;
  /** Takes secrets out of a text. */
  readonly clean: (text: string) => string;
};

const FIRST_LINES = 20;
const LAST_LINES = 80;
const LONGEST_LINE = 400;
const MOST_NAMES = 60;

export function medicInstructions(mark: string): string {
  return [
    'You find out why one stage of a deployment failed. You read; you change nothing.',
    fenceRule(mark),
    'Work like this: look at the log, follow its errors to the files they name, check the recent ' +
      'changes, and ask of every suspicion what else would have to be true. The first error mostly ' +
      'causes the later ones. Name the root, not the last symptom.',
    'You have six turns at most. Call several tools in one turn where you can. As soon as you are ' +
      'sure, call finalize_diagnosis; that call is the only answer that counts.',
    [
      'In finalize_diagnosis:',
      '- root_cause: one or two sentences that name the thing itself (file, variable, port, module).',
      '- classification: "code" for the program, "config" for settings and manifests, "infra" for the machine, network or services around it.',
      '- owned: "convoy" only if the fault is in one of the files listed as written by Convoy, else "developer".',
      '- confidence: "high" only if the evidence proves it; "low" if it is a guess.',
      '- fix: what a person should do, in words. No patch, no diff, no code block.',
      '- reproduction: how to see the failure again.',
      '- evidence: lines you have really seen. With file and line for the repository, without file for a line of the log, copied exactly. References that do not exist are thrown away and cost you confidence.',
    ].join('\n'),
    'Write plain English. Never repeat anything that looks like a key, a password or a token.',
  ].join('\n\n');
}

/** The facts of the case; everything from outside is fenced and cleaned. */
export function medicQuestion(evidence: Evidence, rules: Verdict, terms: PromptTerms): string {
  const outside = (label: string, text: string): string =>
    fence(label, terms.clean(text), terms.mark);
  return [
    `The stage "${evidence.stage}" did not pass. What is the root cause?`,
    outside('facts', facts(evidence).join('\n')),
    outside('log, first and last lines', logEnds(evidence.log)),
    evidence.changes.length === 0
      ? 'No recent changes are known.'
      : outside('recently changed files', names(evidence.changes.map(({ file }) => file))),
    rules.diagnosis === null
      ? 'Simple rules found nothing.'
      : outside(
          'what simple rules suspect; they may be wrong',
          `${rules.diagnosis.rootCause} (${rules.diagnosis.confidence} confidence)`,
        ),
  ].join('\n\n');
}

function facts(evidence: Evidence): string[] {
  const { exit, timedOutMs, port, resources, env, previous, ownedFiles } = evidence;
  const missing = env.needed.filter((name) => !env.given.includes(name));
  return [
    `lane: ${evidence.lane} in ${evidence.lanePath}`,
    `command: ${evidence.command}`,
    exit === null ? 'the process did not end' : `exit code ${exit.code}, signal ${exit.signal}`,
    ...(timedOutMs === null ? [] : [`waited in vain for ${timedOutMs} ms`]),
    ...evidence.probes.map(probeLine),
    ...(port === null
      ? []
      : [`expected port ${port.expected}, listening on ${port.listening.join(', ') || 'none'}`]),
    ...(resources === null
      ? []
      : [`memory ${resources.rssMb} MB of ${resources.limitMb} MB, CPU ${resources.cpu}`]),
    `environment given: ${names(env.given) || 'nothing'}`,
    `environment needed and not given: ${names(missing) || 'nothing'}`,
    ...(previous === null
      ? []
      : [`release before: p99 ${previous.p99} ms, error rate ${previous.errorRate}`]),
    `files written by Convoy: ${names(ownedFiles) || 'none'}`,
  ];
}

const probeLine = (probe: Probe): string =>
  `probe ${probe.path}: ${probe.samples} requests, statuses ${JSON.stringify(probe.statuses)}, ` +
  `p99 ${probe.p99} ms (limit ${probe.thresholds.maxP99Ms}), ` +
  `errors ${probe.errorRate} (limit ${probe.thresholds.maxErrorRate})`;

function names(all: readonly string[]): string {
  const rest = all.length - MOST_NAMES;
  return [...all.slice(0, MOST_NAMES), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

function logEnds(log: string): string {
  const lines = log.split('\n').map((line) => line.slice(0, LONGEST_LINE));
  if (lines.length <= FIRST_LINES + LAST_LINES) return lines.join('\n');
  const left = lines.length - FIRST_LINES - LAST_LINES;
  return [...lines.slice(0, FIRST_LINES), `… ${left} lines …`, ...lines.slice(-LAST_LINES)].join(
    '\n',
  );
}
