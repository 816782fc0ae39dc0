import { redact } from '../redact.ts';
import { openCase } from './case-file.ts';
import { changedEvidence } from './changed-evidence.ts';
import type { CaseFile, Rule } from './case-file.ts';
import type { Candidate, Diagnosis, Reference, Verdict } from './diagnosis.ts';
import type { Evidence } from './evidence.ts';
import { faultSigns, withoutOurEnding } from './fault-signs.ts';
import { confidenceOf, rank } from './rank.ts';
import { openRepository } from './repository.ts';
import type { Snapshot } from './repository.ts';
import { behaviour } from './rules/behaviour.ts';
import { capacity } from './rules/capacity.ts';
import { crash } from './rules/crash.ts';
import { credentials } from './rules/credentials.ts';
import { database } from './rules/database.ts';
import { dependencies } from './rules/dependencies.ts';
import { dockerfile } from './rules/dockerfile.ts';
import { machine } from './rules/machine.ts';
import { memory } from './rules/memory.ts';
import { migrationHistory } from './rules/migration-history.ts';
import { migration } from './rules/migration.ts';
import { missingEnv } from './rules/missing-env.ts';
import { missingModule } from './rules/missing-module.ts';
import { native } from './rules/native.ts';
import { platforms } from './rules/platforms.ts';
import { ports } from './rules/ports.ts';
import { registry } from './rules/registry.ts';
import { runtimeVersion } from './rules/runtime-version.ts';
import { settings } from './rules/settings.ts';
import { sourceErrors } from './rules/source-errors.ts';
import { startCommand } from './rules/start-command.ts';
import { upstream } from './rules/upstream.ts';
import { unprepared } from './rules/unprepared.ts';

const RULES: readonly Rule[] = [
  missingEnv,
  ports,
  missingModule,
  startCommand,
  runtimeVersion,
  dependencies,
  registry,
  native,
  unprepared,
  settings,
  credentials,
  capacity,
  sourceErrors,
  dockerfile,
  platforms,
  database,
  migrationHistory,
  migration,
  upstream,
  memory,
  machine,
  crash,
  behaviour,
];

const MOST_REFERENCES = 8;
const MOST_LOG = 512 * 1024;

/**
 * Names the root cause of a failed stage, or says that there is none to name.
 *
 * `secrets` are values that must not appear in the card, whatever the log or the files say.
 */
export function diagnose(
  evidence: Evidence,
  repo: Snapshot,
  secrets: readonly string[] = [],
): Verdict {
  if (faultSigns(evidence).length === 0)
    return { diagnosis: null, reason: 'Nothing in the evidence shows a fault.' };
  // Redacted before anything is quoted, so that no cut can leave half a secret behind.
  const clean = { ...withoutOurEnding(evidence), log: redact(bounded(evidence.log), secrets) };
  const guarded = openRepository(repo, evidence.lanePath, (text) => redact(text, secrets));
  const file = openCase(clean, guarded);
  const ranked = rank(RULES.flatMap((rule) => rule(file)).map((one) => softened(file, one)));
  const winner = ranked[0];
  if (winner === undefined)
    return {
      diagnosis: null,
      reason: 'Something failed, but nothing in the log, the probes or the files explains it.',
    };
  return { diagnosis: card(file, winner, ranked, secrets), rule: winner.rule };
}

const SHRUGGED =
  /continuing (?:without|anyway|with|in|as)|ignored|ignoring|fall(?:ing)? ?back|\(optional\)|without cache|skipping|skipped|disabled|is off\b|using default|\bwarn(?:ing)?\b|non-fatal/i;
const RETRIED = /retry|retrying|will try|trying again/i;
const RETRY = 15;

/** What the program itself did not take seriously is rarely what ended it. */
function softened(file: CaseFile, candidate: Candidate): Candidate {
  const text = file.lines[candidate.at]?.text ?? '';
  const score = RETRIED.test(text) ? candidate.score - RETRY : candidate.score;
  return SHRUGGED.test(text)
    ? { ...candidate, tier: 'symptom', score: Math.min(score, 50) }
    : { ...candidate, score };
}

function card(
  file: CaseFile,
  winner: Candidate,
  ranked: readonly Candidate[],
  secrets: readonly string[],
): Diagnosis {
  const agreeing = ranked.filter((other) => other !== winner && other.subject === winner.subject);
  const evidence = [
    ...winner.evidence,
    ...changedEvidence(file, winner),
    ...agreeing.flatMap((other) => other.evidence),
  ];
  const safe = (text: string): string => redact(text, secrets);
  return {
    lane: file.evidence.lane,
    rootCause: safe(winner.rootCause),
    classification: winner.classification,
    confidence: confidenceOf(winner, ranked),
    owned: winner.owned,
    fix: safe(winner.fix),
    reproduction: safe(winner.reproduction),
    evidence: distinct(evidence)
      .slice(0, MOST_REFERENCES)
      .map((reference) => ({ ...reference, text: safe(reference.text) })),
  };
}

function distinct(references: readonly Reference[]): Reference[] {
  const seen = new Map(
    references.map((one) => [`${one.file ?? ''}:${one.line ?? ''}:${one.text}`, one]),
  );
  return [...seen.values()];
}

/** Keeps the beginning, where root causes are, and the end, where the process died. */
function bounded(log: string): string {
  if (log.length <= MOST_LOG) return log;
  const head = log.slice(0, log.lastIndexOf('\n', MOST_LOG / 4) + 1);
  const tail = log.slice(-MOST_LOG / 2);
  return head + tail.slice(tail.indexOf('\n') + 1);
}
