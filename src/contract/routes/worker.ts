import * as z from 'zod';
import { route } from '../route.ts';
import { task } from '../schemas/task.ts';
import { reason, schemaTag } from '../schemas/words.ts';

const told = z.object({ schema: schemaTag, attempt: z.string(), task: z.string() });

/** What an agent may ask and say about the one attempt its token is good for. */
export const prime = route({
  id: 'worker.prime',
  method: 'GET',
  path: '/worker/task',
  summary: 'My task, where to work, and what was tried before',
  roles: ['worker', 'reviewer'],
  output: z.object({
    schema: schemaTag,
    attempt: z.string(),
    number: z.number(),
    role: z.string(),
    branch: z.string(),
    base: z.string().nullable(),
    worktree: z.string().nullable(),
    task,
    earlier: z.array(
      z.object({ number: z.number(), status: z.string(), reason: z.string().nullable() }),
    ),
  }),
});

export const done = route({
  id: 'worker.done',
  method: 'POST',
  path: '/worker/done',
  summary: 'I am through; with no_code, there is nothing to merge',
  roles: ['worker'],
  body: z.strictObject({
    no_code: z.boolean().default(false),
    reason: reason.optional(),
    cwd: z.string().max(4096).optional().describe('Where the agent stands; must be its worktree'),
  }),
  output: told,
});

export const checkpoint = route({
  id: 'worker.checkpoint',
  method: 'POST',
  path: '/worker/checkpoint',
  summary: 'Note how far I am',
  roles: ['worker', 'reviewer'],
  body: z.strictObject({ note: z.string().trim().min(1).max(2000) }),
  output: told,
});

export const escalate = route({
  id: 'worker.escalate',
  method: 'POST',
  path: '/worker/escalate',
  summary: 'A person must look at this',
  roles: ['worker', 'reviewer'],
  body: z.strictObject({
    severity: z.enum(['low', 'medium', 'high']).default('medium'),
    text: z.string().trim().min(1).max(4000),
  }),
  output: told,
});
