import * as z from 'zod';
import { showTask } from '../contract/routes/tasks.ts';
import { checkpoint, done, escalate, prime } from '../contract/routes/worker.ts';
import { type Tool, tool } from './tool.ts';

const nothing = z.strictObject({});
const roles = ['worker'] as const;

/** What an agent inside an attempt can say about its own task. */
export const WORKER_TOOLS: readonly Tool[] = [
  tool({
    name: 'prime',
    description: 'Read my task: what to do, where to work, and what was tried before.',
    roles,
    input: nothing,
    route: prime,
    ask: () => ({}),
  }),
  tool({
    name: 'done',
    description:
      'Say that the task is through. Commit first: what is on the branch is checked, tested and ' +
      'merged. End your turn after it.',
    roles,
    input: z.strictObject({
      no_code: z
        .boolean()
        .default(false)
        .describe('The task needs no change to the code; say why in `reason`'),
      reason: z
        .string()
        .trim()
        .min(1)
        .max(2000)
        .optional()
        .describe('What was done, in a sentence'),
    }),
    route: done,
    ask: ({ no_code, reason }) => ({ body: { no_code, reason } }),
  }),
  tool({
    name: 'checkpoint',
    description: 'Note how far I am; people see it, and so does the next attempt.',
    roles,
    input: z.strictObject({
      note: z.string().trim().min(1).max(2000).describe('One sentence'),
    }),
    route: checkpoint,
    ask: (body) => ({ body }),
  }),
  tool({
    name: 'status',
    description: 'Where my task stands now: state, attempts, what it waits for, what waits for it.',
    roles,
    input: nothing,
    route: showTask,
    ask: (_, { task }) => ({ params: { id: task ?? '' } }),
  }),
  tool({
    name: 'escalate',
    description: 'Tell a person that they must look at this. Go on if you can.',
    roles,
    input: z.strictObject({
      text: z.string().trim().min(1).max(4000).describe('What is the matter, and what you need'),
      severity: z.enum(['low', 'medium', 'high']).default('medium'),
    }),
    route: escalate,
    ask: (body) => ({ body }),
  }),
];
