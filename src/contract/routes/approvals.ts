import * as z from 'zod';
import { APPROVAL_KINDS, APPROVAL_STATUSES, CHANNELS } from '../../domain/approval/approval.ts';
import { route } from '../route.ts';
import { cursor, flag, idText, limit, list, reason, schemaTag } from '../schemas/words.ts';

export const approval = z.object({
  id: z.string(),
  kind: z.enum(APPROVAL_KINDS),
  subject: z.string().describe('The run, convoy, task or attempt it is about'),
  lane: z.string().nullable(),
  subject_hash: z.string().describe('Hash of what was shown; a decision is bound to it'),
  status: z.enum(APPROVAL_STATUSES),
  summary: z.string(),
  details: z.record(z.string(), z.unknown()).describe('Exactly what is approved'),
  requested_at: z.string(),
  requested_by: z.string(),
  decision: z
    .object({
      verdict: z.enum(['approve', 'reject']),
      actor: z.string(),
      channel: z.enum(CHANNELS),
      at: z.string(),
      reason: z.string().nullable(),
      answer: z.string().nullable().describe('What was said to a question'),
    })
    .nullable(),
  void_reason: z.string().nullable(),
});
export type ApprovalJson = z.output<typeof approval>;

const byId = z.object({ id: idText });
const one = z.object({ schema: schemaTag, approval });

export const listApprovals = route({
  id: 'approval.list',
  method: 'GET',
  path: '/approvals',
  summary: 'What waits for a yes, the longest waiting first; decided ones with all=true',
  query: z.object({
    all: flag.optional(),
    status: list.pipe(z.array(z.enum(APPROVAL_STATUSES))).optional(),
    kind: list.optional(),
    subject: z.string().max(200).optional(),
    limit,
    cursor,
  }),
  output: z.object({
    schema: schemaTag,
    approvals: z.array(approval),
    next: z.string().nullable(),
  }),
});

export const showApproval = route({
  id: 'approval.show',
  method: 'GET',
  path: '/approvals/{id}',
  summary: 'One approval with exactly what is approved',
  params: byId,
  output: one,
});

const decision = z.strictObject({
  reason: reason.optional(),
  subject_hash: z
    .string()
    .max(200)
    .optional()
    .describe('What you have seen; refused when the subject has changed since'),
  channel: z.enum(['cli', 'api', 'web']).default('api'),
});

export const approve = route({
  id: 'approval.approve',
  method: 'POST',
  path: '/approvals/{id}/approve',
  summary: 'Say yes; saying it twice changes nothing',
  roles: ['approver'],
  params: byId,
  body: decision,
  output: one,
});

export const reject = route({
  id: 'approval.reject',
  method: 'POST',
  path: '/approvals/{id}/reject',
  summary: 'Say no; saying it twice changes nothing',
  roles: ['approver'],
  params: byId,
  body: decision,
  output: one,
});

export const answer = route({
  id: 'approval.answer',
  method: 'POST',
  path: '/approvals/{id}/answer',
  summary: 'Answer the question of an agent; saying the same twice changes nothing',
  roles: ['approver'],
  params: byId,
  body: decision.omit({ reason: true }).extend({ answer: z.string().trim().min(1).max(8000) }),
  output: one,
});
