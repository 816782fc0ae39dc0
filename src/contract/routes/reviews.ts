import * as z from 'zod';
import { route } from '../route.ts';
import { flag, idText, schemaTag } from '../schemas/words.ts';
import { finding } from '../schemas/finding.ts';

export const reviewJson = z.object({
  id: z.string().describe('The review of an agent, or the approval a person is asked for'),
  by: z.enum(['agent', 'person']),
  convoy: z.string(),
  repo: z.string().nullable(),
  change: z.string().nullable().describe('null when it is about all the work of the convoy'),
  tree: z.string().describe('What the verdict is bound to; another tree is another review'),
  head: z.string().nullable(),
  base: z.string().nullable().describe('What the diff is taken against'),
  status: z.enum(['waiting', 'running', 'approved', 'rejected', 'failed', 'void']),
  tries: z.number(),
  findings: z.array(finding),
  reason: z.string().nullable().describe('Why there is no verdict, or what a person said'),
  opened_at: z.string(),
  answered_at: z.string().nullable(),
});
export type ReviewJson = z.output<typeof reviewJson>;

const many = z.object({ schema: schemaTag, reviews: z.array(reviewJson) });
const byId = z.object({ id: idText.describe('A convoy, a task, a change or a review') });

export const listReviews = route({
  id: 'review.list',
  method: 'GET',
  path: '/reviews',
  summary: 'Reviews without a verdict, the longest waiting first; all of them with all=true',
  query: z.object({ all: flag.optional() }),
  output: many,
});

export const showReviews = route({
  id: 'review.show',
  method: 'GET',
  path: '/reviews/{id}',
  summary: 'What reviewers and people said about a convoy, a task or a change',
  params: byId,
  output: many,
});

export const reviewAgain = route({
  id: 'review.again',
  method: 'POST',
  path: '/reviews/{id}/again',
  summary: 'Ask reviewers that gave no verdict once more; a verdict stands',
  roles: ['manager'],
  params: byId,
  body: z.strictObject({}),
  output: many,
});
