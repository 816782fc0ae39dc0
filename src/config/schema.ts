import * as z from 'zod';
import { DEFAULTS } from './defaults.ts';
import {
  argv,
  duration,
  listOf,
  matching,
  numberFrom,
  oneOf,
  share,
  table,
  tablesByName,
  text,
  webAddress,
  wholeNumber,
} from './expect.ts';
import { agentSchema } from './schema-agents.ts';
import { repoSchema } from './schema-repos.ts';

const { workspace, budget, model, github, retention, ship } = DEFAULTS;
const SINKS = 'one of "command", "webhook", "slack", "inbox", "terminal"';

const sinkSchema = z.discriminatedUnion(
  'sink',
  [
    table({ sink: z.literal('command'), command: argv() }),
    table({
      sink: z.literal('webhook'),
      url: webAddress(),
      secret_env: matching(
        /^[A-Za-z_][A-Za-z0-9_]*$/,
        'the name of an environment variable',
      ).optional(),
    }),
    table({ sink: z.literal('slack'), url: webAddress() }),
    table({ sink: z.literal('inbox') }),
    table({ sink: z.literal('terminal') }),
  ],
  { error: (issue) => (typeof issue.input === 'object' ? SINKS : 'a table') },
);

const VARIABLE = 'the name of an environment variable';
const STEPS = 'a list of ascending whole numbers from 1 to 100';
const steps = listOf(z.int({ error: STEPS }), STEPS).refine(isAscending, { error: STEPS });

/** The whole of `config.toml`. */
export const configSchema = table({
  workspace: table({
    max_parallel: wholeNumber(1).default(workspace.max_parallel),
    dispatch: oneOf('default', 'fifo', 'critical-path', 'coordinator').default(workspace.dispatch),
    coordinator: text('the name of an agent').optional(),
    attempts: wholeNumber(1).default(workspace.attempts),
    backoff: duration('zero').prefault(workspace.backoff),
    breaker: wholeNumber(0).default(workspace.breaker),
    notify: listOf(text('a name'), 'a list of names').default([]),
    conflict_limit: duration('positive').prefault(workspace.conflict_limit),
    watchdog: duration('positive').prefault(workspace.watchdog),
  }).prefault({}),
  notify: tablesByName(sinkSchema).default({}),
  budget: table({
    usd: numberFrom(0).default(budget.usd),
    tokens: wholeNumber(0).default(budget.tokens),
    minutes: numberFrom(0).default(budget.minutes),
  }).prefault({}),
  model: table({
    provider: oneOf('anthropic', 'openai-compatible').default(model.provider),
    name: text('the name of a model').optional(),
  }).prefault({}),
  agents: tablesByName(agentSchema).default({}),
  repos: tablesByName(repoSchema).default({}),
  github: table({
    webhook_secret_env: z
      .string({ error: VARIABLE })
      .regex(/^(?:[A-Za-z_][A-Za-z0-9_]*)?$/, { error: VARIABLE })
      .default(github.webhook_secret_env),
    poll: duration('positive').prefault(github.poll),
  }).prefault({}),
  retention: table({
    days: numberFrom(0).default(retention.days),
    gb: numberFrom(0).default(retention.gb),
  }).prefault({}),
  ship: table({
    platform: oneOf('local', 'fly', 'vercel', 'railway', 'cloudrun').default(ship.platform),
    steps: steps.default([...ship.steps]),
    bake: duration('zero').prefault(ship.bake),
    observe: duration('zero').prefault(ship.observe),
    max_error_rate: share().default(ship.max_error_rate),
    max_p99_ms: numberFrom(1).default(ship.max_p99_ms),
    false_alarm_rate: share().default(ship.false_alarm_rate),
    auto: oneOf('never', 'landed').default(ship.auto),
  }).prefault({}),
});

export type ParsedConfig = z.output<typeof configSchema>;

function isAscending(values: readonly number[]): boolean {
  return (
    values.length > 0 &&
    values.every((value, index) => value > (values[index - 1] ?? 0) && value <= 100)
  );
}
