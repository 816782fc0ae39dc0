import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import {
  checkedWords,
  type Words,
  wordsInstructions,
  wordsQuestion,
} from '../../domain/ship/plan/model-words.ts';
import type { PlanBody } from '../../domain/ship/plan/plan.ts';
import { redact } from '../../domain/ship/redact.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { Ending, Model, ModelLimits } from '../../ports/model.ts';

const LIMITS: ModelLimits = { turns: 3, tokens: 60_000, usd: 0.5, ms: 45_000 };
const WRITE = 'write_words';

const words = z.object({ summary: z.string(), narrative: z.string() });
const FORM = {
  type: 'object',
  properties: { summary: { type: 'string' }, narrative: { type: 'string' } },
  required: ['summary', 'narrative'],
};

const clean = (text: string): string => redact(text, []);

/** Lets a model word a plan; what it says is taken only where it holds to the plan. */
export async function wordWithModel(model: Model, plan: PlanBody): Promise<Result<Words, string>> {
  const mark = randomBytes(6).toString('hex');
  let taken: Words | null = null;
  let wrong: string | null = null;
  let tries = 0;
  const ending = await model.converse({
    instructions: wordsInstructions(mark),
    question: wordsQuestion(plan, mark, clean),
    tools: [
      {
        name: WRITE,
        description: 'Writes the words of the plan.',
        input: FORM,
        async run(input) {
          tries += 1;
          const read = words.safeParse(input);
          const checked = read.success
            ? checkedWords(read.data, plan)
            : err('summary and narrative must both be text');
          if (checked.ok) {
            const { summary, narrative } = checked.value;
            taken ??= { summary: clean(summary), narrative: clean(narrative) };
            return 'Accepted.';
          }
          wrong = checked.error;
          return `Not accepted: ${checked.error}. Call ${WRITE} once more with these mended.`;
        },
      },
    ],
    limits: LIMITS,
    closing: { tool: WRITE, from: 1 },
    isEnough: () => taken !== null || tries > 1,
    reply: () => `Only a call of ${WRITE} counts. Call it now.`,
  });
  return taken === null ? err(whyNone(ending, wrong)) : ok(taken);
}

function whyNone(ending: Ending, wrong: string | null): string {
  if (wrong !== null) return `the model's words do not hold to the plan (${wrong})`;
  switch (ending.kind) {
    case 'errored':
      return ending.problem.message;
    case 'limit':
      return `the model reached its limit (${ending.limit}) without words`;
    case 'refused':
      return 'the model refused to word it';
    case 'stopped':
    case 'answered':
    case 'cut':
    case 'enough':
      return 'the model wrote no words';
    default:
      return unreachable(ending);
  }
}
