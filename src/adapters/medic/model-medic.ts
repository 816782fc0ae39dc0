import { randomBytes } from 'node:crypto';
import type { Reference, Verdict } from '../../domain/ship/medic/diagnosis.ts';
import type { Evidence } from '../../domain/ship/medic/evidence.ts';
import { faultSigns } from '../../domain/ship/medic/fault-signs.ts';
import { medicInstructions, medicQuestion } from '../../domain/ship/medic/prompt.ts';
import { cardOf, type Conclusion, withSeen } from '../../domain/ship/medic/prompt-answer.ts';
import { redact } from '../../domain/ship/redact.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { Medic, RepositoryReader } from '../../ports/medic.ts';
import type {
  Ending,
  Model,
  ModelEvent,
  ModelLimits,
  ModelTool,
  Usage,
} from '../../ports/model.ts';
import {
  CONCLUSION_FORM,
  readConclusion,
  readRest,
  realReferences,
} from './model-medic-conclusion.ts';
import { type Desk, readingTools } from './model-medic-tools.ts';

export type ModelMedicParts = {
  readonly model: Model;
  readonly reader: RepositoryReader;
  /** Answers when the model does not. */
  readonly rules: Medic;
  readonly secrets?: readonly string[];
  readonly limits?: Partial<ModelLimits>;
  /** Every call and its result, without secrets. */
  readonly onEvent?: (event: ModelEvent & { readonly lane: string }) => void;
  readonly signal?: AbortSignal;
};

/** A verdict and how it came about. */
export type ModelVerdict = Verdict & {
  readonly by: 'model' | 'rules';
  /** What the model said on the way, without secrets; kept also when it did not conclude. */
  readonly notes: readonly string[];
  /** Why the rules had to answer; null when the model did. */
  readonly because: string | null;
  readonly usage: Usage | null;
};

export interface ModelMedic extends Medic {
  diagnose(evidence: Evidence): Promise<ModelVerdict>;
}

const LIMITS: ModelLimits = { turns: 6, tokens: 150_000, usd: 1, ms: 90_000 };
const FINALIZE = 'finalize_diagnosis';
const MOST_LOG = 256 * 1024;
const MOST_NOTES = 8;
const LONGEST_NOTE = 1000;

/** A medic that lets a model look around; where the model fails, the rules answer. */
export function createModelMedic(parts: ModelMedicParts): ModelMedic {
  return {
    async diagnose(evidence) {
      const verdict = await parts.rules.diagnose(evidence);
      // Where nothing is wrong, a model that is asked what is wrong finds something.
      if (faultSigns(evidence).length === 0)
        return { ...verdict, by: 'rules', notes: [], because: 'there is no fault', usage: null };
      return investigate(parts, evidence, verdict);
    },
  };
}

/** What the model has brought so far. */
type Notebook = {
  accepted: Conclusion | null;
  rejected: number;
  readonly claims: Reference[];
  readonly notes: string[];
};

async function investigate(
  parts: ModelMedicParts,
  evidence: Evidence,
  rules: Verdict,
): Promise<ModelVerdict> {
  const clean = (text: string): string => redact(text, parts.secrets ?? []);
  const mark = randomBytes(6).toString('hex');
  const log = wholeLines(clean(evidence.log));
  const desk: Desk = { evidence, log, reader: parts.reader, clean, mark };
  const book: Notebook = { accepted: null, rejected: 0, claims: [], notes: [] };
  const limits = { ...LIMITS, ...parts.limits };
  const ending = await parts.model.converse({
    instructions: medicInstructions(mark),
    question: medicQuestion({ ...evidence, log }, rules, { mark, clean }),
    tools: [...readingTools(desk), finalize(book)],
    limits,
    // One turn before the last, so that a conclusion in the wrong form can be mended.
    closing: { tool: FINALIZE, from: Math.max(1, limits.turns - 1) },
    isEnough: () => book.accepted !== null || book.rejected > 1,
    reply: nudge(),
    onEvent(event) {
      if (event.type === 'said') note(book, event.text);
      parts.onEvent?.({ ...cleaned(event, clean), lane: evidence.lane });
    },
    ...(parts.signal === undefined ? {} : { signal: parts.signal }),
  });
  const notes = book.notes.slice(-MOST_NOTES).map((text) => clean(text).slice(0, LONGEST_NOTE));
  const told = { notes, usage: ending.usage };
  if (book.accepted === null) {
    const seen = await realReferences(book.claims, evidence, parts.reader, log);
    return {
      ...fallBack(rules, seen, notes),
      by: 'rules',
      because: because(ending, book),
      ...told,
    };
  }
  const safe = cleanedValue(book.accepted, clean);
  const real = await realReferences(safe.evidence, evidence, parts.reader, log);
  const diagnosis = cardOf(evidence.lane, safe, real, evidence.ownedFiles);
  return { diagnosis, rule: 'model', by: 'model', because: null, ...told };
}

function finalize(book: Notebook): ModelTool {
  return {
    name: FINALIZE,
    description: 'Hands in the diagnosis. This ends the investigation.',
    input: CONCLUSION_FORM,
    async run(input) {
      const read = readConclusion(input);
      if (read.ok) {
        book.accepted ??= read.value;
        return 'Accepted.';
      }
      const rest = readRest(input);
      book.rejected += 1;
      book.claims.push(...rest.evidence);
      if (rest.rootCause !== null) note(book, rest.rootCause);
      return `Not accepted. ${read.error}. Call ${FINALIZE} once more with these mended.`;
    },
  };
}

/** Words alone are no diagnosis; the model is reminded once. */
function nudge(): (text: string) => string | null {
  let said = false;
  return () => {
    if (said) return null;
    said = true;
    return `Only a call of ${FINALIZE} counts. Call it now with what you know.`;
  };
}

const note = ({ notes }: Notebook, text: string): void => {
  if (text.trim() !== '') notes.push(text.trim());
};

function fallBack(rules: Verdict, seen: readonly Reference[], notes: readonly string[]): Verdict {
  if (rules.diagnosis !== null) return { ...rules, diagnosis: withSeen(rules.diagnosis, seen) };
  const last = notes.at(-1);
  const added = last === undefined ? '' : ` The model looked, without a conclusion: ${last}`;
  return { diagnosis: null, reason: `${rules.reason}${added}` };
}

function because(ending: Ending, book: Notebook): string {
  if (book.rejected > 1) return 'the model handed in a diagnosis in the wrong form twice';
  switch (ending.kind) {
    case 'errored':
      return ending.problem.message;
    case 'limit':
      return `the model reached its limit (${ending.limit}) without a diagnosis`;
    case 'refused':
      return 'the model refused to look at it';
    case 'stopped':
      return 'the investigation was stopped';
    case 'answered':
    case 'cut':
    case 'enough':
      return 'the model did not hand in a diagnosis';
    default:
      return unreachable(ending);
  }
}

/** Everything that leaves this room is cleaned, whatever its form. */
const cleaned = (event: ModelEvent, clean: (text: string) => string): ModelEvent =>
  cleanedValue(event, clean);

function cleanedValue<T>(value: T, clean: (text: string) => string): T;
function cleanedValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((one: unknown) => cleanedValue(one, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, cleanedValue<unknown>(one, clean)]),
  );
}

function wholeLines(log: string): string {
  if (log.length <= MOST_LOG) return log;
  const tail = log.slice(-MOST_LOG);
  return tail.slice(tail.indexOf('\n') + 1);
}
