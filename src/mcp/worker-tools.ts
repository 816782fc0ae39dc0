import * as z from 'zod';
import { askPerson } from '../client/ask-person.ts';
import { showTask } from '../contract/routes/tasks.ts';
import {
  checkpoint,
  done,
  escalate,
  prime,
  questionChoices,
  questionWords,
} from '../contract/routes/worker.ts';
import { type Tool, tool } from './tool.ts';

const nothing = z.strictObject({});
const roles = ['worker'] as const;

const questionInput = z.strictObject({
  question: questionWords.describe(
    'What must be decided, with what the person needs to know for it',
  ),
  choices: questionChoices.describe('Answers that would do, if there are such'),
  wait_s: z
    .number()
    .int()
    .min(0)
    .max(600)
    .default(50)
    .describe('How many seconds to wait for the answer before you get `pending`'),
});

const requestInput: Tool = {
  name: 'request_input',
  description:
    'Ask a person something that only a person can decide, and wait for the answer. `pending` means ' +
    'that nobody has answered yet: call it again with the very same question to go on waiting, or go ' +
    'on with something else meanwhile. `declined` means: decide it yourself.',
  roles,
  input: questionInput,
  call: (client, args) => {
    const { wait_s, ...body } = questionInput.parse(args);
    return askPerson(client, body, wait_s);
  },
};

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
  requestInput,
];
