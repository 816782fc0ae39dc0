import { DEFAULTS } from './defaults.ts';
import { argv, duration, oneOf, table, text, wholeNumber } from './expect.ts';

const defaults = DEFAULTS.agent;

/** One `[agents.<name>]`; which keys belong together is for rules.ts. */
export const agentSchema = table({
  adapter: oneOf('command', 'acp', 'scripted').default(defaults.adapter),
  command: argv().optional(),
  preset: oneOf('claude', 'codex', 'opencode', 'gemini').optional(),
  timeout: duration('positive').prefault(defaults.timeout),
  silence: duration('positive').prefault(defaults.silence),
  max_parallel: wholeNumber(1).optional(),
  permissions: oneOf('worktree', 'ask', 'deny').default(defaults.permissions),
  script: text('the path of a file').optional(),
});
