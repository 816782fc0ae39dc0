import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { type AiPlan, draftOf } from '../../domain/draft/ai-plan.ts';
import { draftInstructions, draftQuestion, mendPlan } from '../../domain/draft/ai-prompt.ts';
import type { Draft } from '../../domain/draft/read-draft.ts';
import { redact } from '../../domain/ship/redact.ts';
import type { Priority } from '../../domain/work/task.ts';
import { TASK_TYPES } from '../../domain/work/task.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { Ending, Model, ModelEvent, ModelLimits } from '../../ports/model.ts';

export type ModelDraftOptions = {
  readonly secrets?: readonly string[];
  readonly limits?: Partial<ModelLimits>;
  readonly onEvent?: (event: ModelEvent) => void;
  readonly signal?: AbortSignal;
};

/** Why there is no plan at all; a plan with faults is a draft with problems. */
export type NoPlan = { readonly kind: 'no-plan'; readonly message: string };

const LIMITS: ModelLimits = { turns: 3, tokens: 200_000, usd: 3, ms: 300_000 };
const MOST_ITEMS = 500;
const LONGEST_DOCUMENT = 200_000;

const words = z.string().trim();
/** Some write numbers for ids. */
const idWord = z.union([words, z.number().transform(String)]);
const list = z
  .array(words)
  .nullish()
  .transform((all) => all ?? []);
const count = z.coerce.number().int();

const item = z.object({
  id: idWord.refine((id) => id !== '' && id.length <= 100, 'an id has 1 to 100 characters'),
  parent: idWord.nullish().transform((id) => (id === '' || id == null ? null : id)),
  title: words.min(1),
  type: z
    .enum(TASK_TYPES)
    .nullish()
    .transform((type) => type ?? 'task'),
  priority: count.min(0).max(4).nullish().transform(asPriority),
  labels: list,
  description: words.nullish().transform((text) => text ?? ''),
  acceptance: list,
  after: z
    .array(idWord)
    .nullish()
    .transform((ids) => ids ?? []),
  own_branch: z.boolean().nullish(),
  estimate_minutes: count.positive().nullish().catch(null),
  line: count.positive().nullish().catch(null),
});

const plan = z.object({
  title: words.min(1),
  description: words.nullish(),
  items: z.array(item).min(1).max(MOST_ITEMS),
});

const PLAN_FORM = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    description: { type: 'string' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          parent: { type: ['string', 'null'] },
          title: { type: 'string' },
          type: { type: 'string', enum: [...TASK_TYPES] },
          priority: { type: 'integer', minimum: 0, maximum: 4 },
          labels: { type: 'array', items: { type: 'string' } },
          description: { type: 'string' },
          acceptance: { type: 'array', items: { type: 'string' } },
          after: { type: 'array', items: { type: 'string' } },
          own_branch: { type: 'boolean' },
          estimate_minutes: { type: 'integer' },
          line: { type: 'integer' },
        },
        required: ['id', 'title', 'type', 'description', 'acceptance', 'after', 'line'],
      },
    },
  },
  required: ['title', 'description', 'items'],
};

/** Lets a model read a document and write the plan; the same checks hold as for any plan. */
export async function draftWithModel(
  model: Model,
  text: string,
  name: string,
  options: ModelDraftOptions = {},
): Promise<Result<Draft, NoPlan>> {
  if (text.trim() === '') return none('the document is empty');
  if (text.length > LONGEST_DOCUMENT)
    return none(`the document has more than ${LONGEST_DOCUMENT} characters; draft it in parts`);
  const lines = text.split('\n').length;
  const mark = randomBytes(6).toString('hex');
  let draft: Draft | null = null;
  let wrong: string | null = null;
  const isSound = (): boolean => draft !== null && !hasErrors(draft);
  const ending = await model.converse({
    instructions: draftInstructions(mark),
    question: draftQuestion(redact(text, options.secrets ?? []), name, mark),
    tools: [
      {
        name: 'write_plan',
        description: 'Writes the plan.',
        input: PLAN_FORM,
        async run(input) {
          const read = readPlan(input, lines);
          if (!read.ok) {
            wrong = read.error;
            return `The plan has the wrong form: ${read.error}. Call write_plan once more.`;
          }
          // A second plan that is worse than the first must not replace it.
          const next = draftOf(read.value);
          if (draft === null || !hasErrors(next)) draft = next;
          return hasErrors(next) ? mendPlan(next.problems.filter(isError)) : 'Accepted.';
        },
      },
    ],
    limits: { ...LIMITS, ...options.limits },
    closing: { tool: 'write_plan', from: 1 },
    isEnough: isSound,
    reply: () => 'Only a call of write_plan counts. Call it now.',
    ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return draft === null ? none(whyNone(ending, wrong)) : ok(draft);
}

function readPlan(input: unknown, lines: number): Result<AiPlan, string> {
  const parsed = plan.safeParse(input);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return err(wrong.slice(0, 10).join('; '));
  }
  const { title, description, items } = parsed.data;
  return ok({
    title,
    description: description ?? '',
    items: items.map(({ own_branch: own, estimate_minutes: minutes, line, ...rest }) => ({
      ...rest,
      ownBranch: own ?? false,
      estimateMinutes: minutes ?? null,
      line: Math.min(line ?? 1, lines),
    })),
  });
}

function asPriority(value: number | null | undefined): Priority {
  const all: readonly Priority[] = [0, 1, 2, 3, 4];
  return all.find((one) => one === value) ?? 2;
}

const isError = ({ kind }: Draft['problems'][number]): boolean => kind === 'error';
const hasErrors = ({ problems }: Draft): boolean => problems.some(isError);
const none = (message: string): Result<never, NoPlan> => err({ kind: 'no-plan', message });

function whyNone(ending: Ending, wrong: string | null): string {
  if (wrong !== null) return `the model wrote no plan in the right form (${wrong})`;
  switch (ending.kind) {
    case 'errored':
      return ending.problem.message;
    case 'limit':
      return `the model reached its limit (${ending.limit}) without a plan`;
    case 'refused':
      return 'the model refused to plan this';
    case 'stopped':
      return 'drafting was stopped';
    case 'answered':
    case 'cut':
    case 'enough':
      return 'the model wrote no plan';
    default:
      return unreachable(ending);
  }
}
