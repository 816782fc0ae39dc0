import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { improveInstructions, improveQuestion } from '../../domain/ship/author/improve-prompt.ts';
import { holdsSecret } from '../../domain/ship/author/secret-looking.ts';
import type { Diagnosis } from '../../domain/ship/medic/diagnosis.ts';
import { redact } from '../../domain/ship/redact.ts';
import type { PlannedFile } from '../../ports/author.ts';
import type { Model, ModelLimits } from '../../ports/model.ts';
import { lintFile } from './lint.ts';

const LIMITS: ModelLimits = { turns: 3, tokens: 60_000, usd: 0.5, ms: 60_000 };
const WRITE = 'write_file';
const MOST_CHARACTERS = 64 * 1024;

const written = z.object({ content: z.string().min(1).max(MOST_CHARACTERS) });
const FORM = {
  type: 'object',
  properties: { content: { type: 'string' } },
  required: ['content'],
};

/** Lets a model mend files of Convoy's own; what does not parse or holds a secret is not taken. */
export async function improveFiles(
  model: Model,
  files: readonly Pick<PlannedFile, 'path' | 'content'>[],
  diagnosis: Diagnosis,
): Promise<ReadonlyMap<string, string>> {
  const improved = new Map<string, string>();
  for (const file of files) {
    const content = await improve(model, file, diagnosis);
    if (content !== null) improved.set(file.path, content);
  }
  return improved;
}

async function improve(
  model: Model,
  file: Pick<PlannedFile, 'path' | 'content'>,
  diagnosis: Diagnosis,
): Promise<string | null> {
  const mark = randomBytes(6).toString('hex');
  let taken: string | null = null;
  await model.converse({
    instructions: improveInstructions(mark),
    question: redact(improveQuestion(file, diagnosis, mark), []),
    tools: [
      {
        name: WRITE,
        description: `Writes ${file.path}.`,
        input: FORM,
        async run(input) {
          const read = written.safeParse(input);
          if (!read.success) return `Not accepted: content must be text. Call ${WRITE} once more.`;
          const wrong = faults(file.path, read.data.content);
          if (wrong.length === 0) taken ??= read.data.content;
          return wrong.length === 0 ? 'Accepted.' : `Not accepted: ${wrong.join('; ')}.`;
        },
      },
    ],
    limits: LIMITS,
    closing: { tool: WRITE, from: 1 },
    isEnough: () => taken !== null,
    reply: () => `Only a call of ${WRITE} counts. Call it now.`,
  });
  return taken;
}

const faults = (path: string, content: string): readonly string[] => [
  ...lintFile(path, content),
  ...(holdsSecret(content.split('\n')) ? ['it holds a credential'] : []),
];
