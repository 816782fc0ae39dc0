import * as z from 'zod';
import { APPROVAL_STATUSES } from '../../domain/approval/approval.ts';
import { SEVERITIES } from '../../domain/review/verdict.ts';
import { route } from '../route.ts';
import { task } from '../schemas/task.ts';
import { idText, reason, schemaTag } from '../schemas/words.ts';

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

export const verdictFinding = z.strictObject({
  file: z.string().trim().min(1).max(1000).nullable().default(null).describe('Null: the whole'),
  line: z.number().int().min(1).nullable().default(null),
  severity: z.enum(SEVERITIES).default('warning'),
  text: z.string().trim().min(1).max(4000),
});

export const sayVerdict = route({
  id: 'worker.verdict',
  method: 'POST',
  path: '/worker/verdict',
  summary: 'The verdict of the review this token is good for',
  roles: ['reviewer'],
  body: z.strictObject({
    verdict: z.enum(['approve', 'reject']),
    findings: z.array(verdictFinding).max(200).default([]),
  }),
  output: z.object({
    schema: schemaTag,
    review: z.string(),
    tree: z.string(),
    verdict: z.enum(['approve', 'reject']),
  }),
});

const answered = z.object({
  schema: schemaTag,
  approval: z.string(),
  status: z.enum(APPROVAL_STATUSES),
  reason: z.string().nullable(),
});

export const askPermission = route({
  id: 'worker.permission.ask',
  method: 'POST',
  path: '/worker/permission',
  summary: 'May I use this tool? Asking again about the same call gives the same question',
  roles: ['worker', 'reviewer'],
  body: z.strictObject({
    call: z.string().min(1).max(200).describe('Names the tool call'),
    tool: z.string().trim().min(1).max(200),
    paths: z.array(z.string().max(4096)).max(100),
    summary: z.string().trim().min(1).max(4000),
  }),
  output: answered,
});

export const awaitPermission = route({
  id: 'worker.permission.show',
  method: 'GET',
  path: '/worker/permission/{id}',
  summary: 'What was answered; waits a while for it when told to',
  roles: ['worker', 'reviewer'],
  params: z.object({ id: idText }),
  query: z.object({
    wait: z.coerce.number().int().min(0).max(25).default(0).describe('Seconds'),
  }),
  output: answered,
});

const questionNow = z.object({
  schema: schemaTag,
  question: z.string().describe('Its id; a person sees it under this in convoy approvals'),
  status: z
    .enum(['pending', 'answered', 'declined', 'void'])
    .describe('pending: nobody has answered yet; declined: decide yourself'),
  answer: z.string().nullable(),
  reason: z.string().nullable(),
});

export const questionWords = z.string().trim().min(1).max(4000);
export const questionChoices = z.array(z.string().trim().min(1).max(200)).max(10).default([]);

export const askInput = route({
  id: 'worker.input.ask',
  method: 'POST',
  path: '/worker/input',
  summary: 'Ask a person; the same question again is the same question, with its answer',
  roles: ['worker'],
  body: z.strictObject({
    question: questionWords,
    choices: questionChoices.describe('Answers that would do; the person may say something else'),
  }),
  output: questionNow,
});

export const awaitInput = route({
  id: 'worker.input.show',
  method: 'GET',
  path: '/worker/input/{id}',
  summary: 'What was answered; waits a while for it when told to',
  roles: ['worker'],
  params: z.object({ id: idText }),
  query: z.object({
    wait: z.coerce.number().int().min(0).max(25).default(0).describe('Seconds'),
  }),
  output: questionNow,
});
