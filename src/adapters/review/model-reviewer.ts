import { randomBytes } from 'node:crypto';
import { conflictResidue } from '../../domain/review/conflict-residue.ts';
import { type DiffFile, diffFiles } from '../../domain/review/diff-files.ts';
import { diffParts } from '../../domain/review/diff-parts.ts';
import {
  reviewInstructions,
  type ReviewPart,
  reviewQuestion,
  type ReviewSubject,
} from '../../domain/review/prompt.ts';
import {
  type Finding,
  readVerdict,
  readVerdictText,
  type ReviewVerdict,
  SEVERITIES,
} from '../../domain/review/verdict.ts';
import { redact } from '../../domain/ship/redact.ts';
import type { Cost } from '../../domain/work/attempt.ts';
import { err, type Result } from '../../lib/result.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { Ending, Model, ModelEvent, ModelLimits } from '../../ports/model.ts';
import type { Reviewer, ReviewOutcome } from '../../ports/reviewer.ts';

export type ReviewerParts = {
  readonly model: Model;
  readonly secrets?: readonly string[];
  /** For each part of the diff. */
  readonly limits?: Partial<ModelLimits>;
  /** The size of a part, in characters, and how many there may be. */
  readonly most?: { readonly part?: number; readonly parts?: number };
  readonly onEvent?: (event: ModelEvent) => void;
};

const LIMITS: ModelLimits = { turns: 2, tokens: 120_000, usd: 2, ms: 180_000 };
const LARGEST_PART = 150_000;
const MOST_PARTS = 8;

const VERDICT_FORM = {
  type: 'object',
  properties: {
    verdict: { type: 'string', enum: ['approve', 'reject'] },
    findings: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          file: { type: 'string' },
          line: { type: 'integer' },
          severity: { type: 'string', enum: [...SEVERITIES] },
          text: { type: 'string' },
        },
        required: ['severity', 'text'],
      },
    },
  },
  required: ['verdict', 'findings'],
};

/** The built-in reviewer. */
export function createModelReviewer(parts: ReviewerParts): Reviewer {
  return { review: (subject, options = {}) => review(parts, subject, options) };
}

const NOTHING: Cost = { usd: 0, tokens: 0 };

type Options = NonNullable<Parameters<Reviewer['review']>[1]>;

async function review(
  reviewer: ReviewerParts,
  subject: ReviewSubject,
  options: Options,
): Promise<ReviewOutcome> {
  const files = diffFiles(subject.diff);
  if (files.length === 0)
    return { kind: 'no-verdict', reason: 'there is no change to review', ...NOTHING };
  const residue = conflictResidue(files);
  if (residue.length > 0)
    return { kind: 'verdict', verdict: 'reject', findings: residue, ...NOTHING };
  const shown = diffParts(files, reviewer.most?.part ?? LARGEST_PART);
  const mostParts = reviewer.most?.parts ?? MOST_PARTS;
  if (shown.length > mostParts) {
    const reason = `the change is too large for one review (${shown.length} parts, at most ${mostParts})`;
    return { kind: 'no-verdict', reason, ...NOTHING };
  }
  return reviewParts(reviewer, subject, { files, shown, options });
}

async function reviewParts(
  reviewer: ReviewerParts,
  subject: ReviewSubject,
  what: { files: readonly DiffFile[]; shown: readonly string[]; options: Options },
): Promise<ReviewOutcome> {
  const paths = what.files.map(({ path }) => path);
  const findings: Finding[] = [];
  let [usd, tokens] = [0, 0];
  let verdict: ReviewVerdict['verdict'] = 'approve';
  for (const [index, text] of what.shown.entries()) {
    const part = { text, number: index + 1, of: what.shown.length, files: paths };
    const left = (what.options.usd ?? Infinity) - usd;
    if (left <= 0) return { kind: 'no-verdict', reason: 'the budget is spent', usd, tokens };
    const said = await reviewPart(reviewer, subject, part, { ...what.options, usd: left });
    usd += said.usd;
    tokens += said.tokens;
    if (!said.read.ok) return { kind: 'no-verdict', reason: said.read.error, usd, tokens };
    if (said.read.value.verdict === 'reject') verdict = 'reject';
    findings.push(...said.read.value.findings.map((one) => inside(one, paths)));
  }
  return { kind: 'verdict', verdict, findings, usd, tokens };
}

async function reviewPart(
  { model, secrets = [], limits, onEvent }: ReviewerParts,
  subject: ReviewSubject,
  part: ReviewPart,
  { signal, usd }: Options,
): Promise<{ readonly read: Result<ReviewVerdict, string> } & Cost> {
  const clean = (text: string): string => redact(text, secrets);
  const mark = randomBytes(6).toString('hex');
  const handedIn: Result<ReviewVerdict, string>[] = [];
  const ending = await model.converse({
    instructions: reviewInstructions(mark, subject.prompt),
    question: reviewQuestion(subject, part, { mark, clean }),
    tools: [
      {
        name: 'give_verdict',
        description: 'Hands in the verdict.',
        input: VERDICT_FORM,
        async run(input) {
          const read = consistent(readVerdict(input));
          handedIn.push(read);
          return read.ok ? 'Accepted.' : `Not accepted: ${read.error}.`;
        },
      },
    ],
    limits: within({ ...LIMITS, ...limits }, usd ?? Infinity),
    closing: { tool: 'give_verdict', from: 1 },
    isEnough: () => handedIn.length > 1 || handedIn.some(({ ok }) => ok),
    reply: (text) => (consistent(readVerdictText(text)).ok ? null : 'Call give_verdict now.'),
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(signal === undefined ? {} : { signal }),
  });
  const read = theOne(handedIn) ?? withoutCall(ending);
  const { usd: spent, inputTokens, outputTokens } = ending.usage;
  return { read: cleaned(read, clean), usd: spent, tokens: inputTokens + outputTokens };
}

const within = (limits: ModelLimits, usd: number): ModelLimits => ({
  ...limits,
  usd: Math.min(limits.usd, usd),
});

/** Our words for how bad it is were told to the model: an error is what must be mended first. */
function consistent(read: Result<ReviewVerdict, string>): Result<ReviewVerdict, string> {
  if (!read.ok || read.value.verdict === 'reject') return read;
  return read.value.findings.some(({ severity }) => severity === 'error')
    ? err('an approval with an error among its findings contradicts itself')
    : read;
}

/** One verdict counts, also after one in the wrong form; of several nobody knows which is meant. */
function theOne(
  handedIn: readonly Result<ReviewVerdict, string>[],
): Result<ReviewVerdict, string> | null {
  const [first, ...more] = handedIn.filter(({ ok }) => ok);
  if (more.length > 0) return err('the reviewer gave more than one verdict');
  return first ?? handedIn.at(-1) ?? null;
}

/** A model that cannot be made to use a tool may still answer in the form that was asked for. */
function withoutCall(ending: Ending): Result<ReviewVerdict, string> {
  switch (ending.kind) {
    case 'answered':
      return consistent(readVerdictText(ending.text));
    case 'errored':
      return err(ending.problem.message);
    case 'limit':
      return err(`the reviewer reached its limit (${ending.limit})`);
    case 'refused':
      return err('the reviewer refused');
    case 'stopped':
      return err('the review was stopped');
    case 'cut':
    case 'enough':
      return err('the reviewer gave no verdict');
    default:
      return unreachable(ending);
  }
}

function cleaned(
  read: Result<ReviewVerdict, string>,
  clean: (text: string) => string,
): Result<ReviewVerdict, string> {
  if (!read.ok) return read;
  const findings = read.value.findings.map((one) => ({ ...one, text: clean(one.text) }));
  return { ok: true, value: { ...read.value, findings } };
}

/** A place outside the change is no place; the words are kept. */
const inside = (finding: Finding, paths: readonly string[]): Finding =>
  finding.file !== null && !paths.includes(finding.file)
    ? { ...finding, file: null, line: null }
    : finding;
