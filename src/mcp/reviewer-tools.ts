import * as z from 'zod';
import { sayVerdict, verdictFinding } from '../contract/routes/worker.ts';
import { type Tool, tool } from './tool.ts';

/** What a reviewer can say about the one tree it was asked about. */
export const REVIEWER_TOOLS: readonly Tool[] = [
  tool({
    name: 'review_verdict',
    description:
      'Give the verdict of this review, once. It is bound to exactly the tree you were shown; ' +
      'without a verdict nothing is approved.',
    roles: ['reviewer'],
    input: z.strictObject({
      verdict: z.enum(['approve', 'reject']),
      findings: z.array(verdictFinding).max(200).default([]),
    }),
    route: sayVerdict,
    ask: (body) => ({ body }),
  }),
];
