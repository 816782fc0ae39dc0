import * as z from 'zod';
import { DEFAULTS } from './defaults.ts';
import {
  argv,
  duration,
  flag,
  listOf,
  matching,
  oneOf,
  table,
  text,
  variables,
  wholeNumber,
} from './expect.ts';

const { repo, gate } = DEFAULTS;
const RUN =
  'a list of words such as ["npm", "test"], or a shell line such as "npm test"; not empty';

const gateSchema = table({
  name: text('a name'),
  run: z.union([argv(RUN), text(RUN)], { error: RUN }),
  timeout: duration('positive').prefault(gate.timeout),
  retries: wholeNumber(0).default(gate.retries),
  env: variables().default([]),
  require_tests: flag().default(gate.require_tests),
  phase: oneOf('always', 'change', 'landing').default(gate.phase),
});

/** One `[repos.<name>]`; which keys belong together is for rules.ts. */
export const repoSchema = table({
  path: text('the path of a directory').optional(),
  url: text('the address of a git repository').optional(),
  prefix: matching(
    /^[a-z][a-z0-9]{0,19}$/,
    '1 to 20 lower-case letters and digits, a letter first',
  ),
  target: text('the name of a branch').optional(),
  agent: text('the name of an agent').optional(),
  merge_mode: oneOf('review-then-land', 'review-and-merge').default(repo.merge_mode),
  strategy: oneOf('merge', 'squash', 'rebase').default(repo.strategy),
  delivery: oneOf('direct', 'pull-request', 'local').default(repo.delivery),
  pr_merge: oneOf('approved', 'green', 'never').default(repo.pr_merge),
  review: oneOf('none', 'agent', 'human', 'both').optional(),
  reviewer: text('the name of an agent').optional(),
  review_each: flag().default(repo.review_each),
  slots: wholeNumber(1).default(repo.slots),
  setup: argv().optional(),
  wip: oneOf('continue', 'restart').default(repo.wip),
  failure_policy: oneOf('hold', 'continue').default(repo.failure_policy),
  allowed_paths: listOf(text('a path'), 'a list of paths').default([]),
  review_prompt: z.string({ error: 'the path of a file' }).default(repo.review_prompt),
  env: variables().default([]),
  gates: listOf(gateSchema, 'a list of tables').default([]),
});
