import { isAbsolute, resolve } from 'node:path';
import { unreachable } from '../lib/unreachable.ts';
import type {
  AgentSettings,
  GateSettings,
  RepoSettings,
  RepoSource,
  Settings,
  ShipSettings,
  Sink,
} from '../ports/settings.ts';
import { defaultReview } from './defaults.ts';
import type { ParsedConfig } from './schema.ts';

type ParsedRepo = ParsedConfig['repos'][string];
type ParsedAgent = ParsedConfig['agents'][string];
type ParsedSink = ParsedConfig['notify'][string];

/** The parsed file in the program's own words; relative paths start at the workspace's root. */
export function toSettings(parsed: ParsedConfig, root: string): Settings {
  const {
    max_parallel: maxParallel,
    backoff,
    coordinator,
    conflict_limit,
    watchdog,
    ...workspace
  } = parsed.workspace;
  return {
    workspace: {
      ...workspace,
      coordinator: coordinator ?? null,
      maxParallel,
      backoffMs: backoff,
      conflictLimitMs: conflict_limit,
      watchdogMs: watchdog,
    },
    notify: mapValues(parsed.notify, toSink),
    budget: parsed.budget,
    model: { provider: parsed.model.provider, name: parsed.model.name ?? null },
    agents: mapValues(parsed.agents, (agent) => toAgent(agent, root)),
    repos: mapValues(parsed.repos, (repo) => toRepo(repo, root)),
    github: {
      webhookSecretEnv: parsed.github.webhook_secret_env || null,
      pollMs: parsed.github.poll,
    },
    retention: parsed.retention,
    ship: toShip(parsed.ship),
  };
}

function toSink(sink: ParsedSink): Sink {
  if (sink.sink !== 'webhook') return sink;
  return { sink: 'webhook', url: sink.url, secretEnv: sink.secret_env ?? null };
}

function toAgent(agent: ParsedAgent, root: string): AgentSettings {
  const limits = {
    timeoutMs: agent.timeout,
    silenceMs: agent.silence,
    maxParallel: agent.max_parallel ?? null,
  };
  const program = { command: agent.command ?? null, preset: agent.preset ?? null };
  switch (agent.adapter) {
    case 'command':
      return { adapter: 'command', ...program, ...limits };
    case 'acp':
      return { adapter: 'acp', ...program, permissions: agent.permissions, ...limits };
    case 'scripted':
      return { adapter: 'scripted', script: from(root, agent.script ?? ''), ...limits };
    default:
      return unreachable(agent.adapter);
  }
}

function toRepo(repo: ParsedRepo, root: string): RepoSettings {
  return {
    source: toSource(repo, root),
    prefix: repo.prefix,
    target: repo.target ?? null,
    agent: repo.agent ?? null,
    mergeMode: repo.merge_mode,
    strategy: repo.strategy,
    delivery: repo.delivery,
    prMerge: repo.pr_merge,
    review: repo.review ?? defaultReview(repo.reviewer),
    reviewer: repo.reviewer ?? null,
    reviewEach: repo.review_each,
    slots: repo.slots,
    setup: repo.setup ?? null,
    wip: repo.wip,
    failurePolicy: repo.failure_policy,
    allowedPaths: repo.allowed_paths,
    reviewPrompt: repo.review_prompt === '' ? null : from(root, repo.review_prompt),
    env: repo.env,
    gates: repo.gates.map(toGate),
  };
}

const toSource = (repo: ParsedRepo, root: string): RepoSource =>
  repo.url === undefined
    ? { kind: 'path', path: from(root, repo.path ?? '.'), written: repo.path ?? '.' }
    : { kind: 'url', url: repo.url };

const toGate = (gate: ParsedRepo['gates'][number]): GateSettings => ({
  name: gate.name,
  run:
    typeof gate.run === 'string'
      ? { kind: 'shell', line: gate.run }
      : { kind: 'argv', argv: gate.run },
  timeoutMs: gate.timeout,
  retries: gate.retries,
  env: gate.env,
  requireTests: gate.require_tests,
  phase: gate.phase,
});

const toShip = (ship: ParsedConfig['ship']): ShipSettings => ({
  platform: ship.platform,
  steps: ship.steps,
  bakeMs: ship.bake,
  observeMs: ship.observe,
  maxErrorRate: ship.max_error_rate,
  maxP99Ms: ship.max_p99_ms,
  falseAlarmRate: ship.false_alarm_rate,
  auto: ship.auto,
});

const from = (root: string, path: string): string =>
  isAbsolute(path) ? path : resolve(root, path);

const mapValues = <In, Out>(
  table: Readonly<Record<string, In>>,
  change: (value: In) => Out,
): Record<string, Out> =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, change(value)]));
