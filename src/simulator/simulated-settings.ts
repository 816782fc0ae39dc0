import type { RepoSettings, Settings } from '../ports/settings.ts';

/** Where everything would lie if it lay anywhere. */
export const WORKSPACE = '/memory/workspace';

const REPO: RepoSettings = {
  source: { kind: 'path', path: '/memory/repository', written: 'repository' },
  prefix: 'web',
  target: 'main',
  agent: 'player',
  mergeMode: 'review-then-land',
  strategy: 'merge',
  delivery: 'local',
  prMerge: 'never',
  review: 'none',
  reviewer: 'player',
  reviewEach: false,
  slots: 2,
  setup: null,
  wip: 'continue',
  failurePolicy: 'hold',
  allowedPaths: [],
  reviewPrompt: null,
  env: [],
  gates: [
    {
      name: 'test',
      run: { kind: 'argv', argv: ['simulated-gate'] },
      timeoutMs: 60_000,
      retries: 1,
      env: [],
      requireTests: false,
      phase: 'always',
    },
  ],
};

/** How the work gets to the target: by itself, or by pull requests under a policy. */
export type Delivery = 'local' | RepoSettings['prMerge'];

const delivered = (delivery: Delivery): RepoSettings =>
  delivery === 'local' ? REPO : { ...REPO, delivery: 'pull-request', prMerge: delivery };

/** One repo with one gate, one agent that also reviews, and two far ends that are told everything. */
export const simulatedSettings = (
  change: Partial<Settings['workspace']>,
  delivery: Delivery,
): Settings => ({
  workspace: {
    maxParallel: 3,
    dispatch: 'default',
    coordinator: null,
    attempts: 3,
    backoffMs: 2000,
    breaker: 5,
    notify: ['hook', 'script'],
    conflictLimitMs: 4 * 3_600_000,
    watchdogMs: 900_000,
    ...change,
  },
  notify: {
    hook: { sink: 'webhook', url: 'http://127.0.0.1:9', secretEnv: null },
    script: { sink: 'command', command: ['tell'] },
  },
  budget: { usd: 0, tokens: 0, minutes: 0 },
  model: { provider: 'anthropic', name: null },
  agents: {
    player: {
      adapter: 'scripted',
      script: `${WORKSPACE}/plays.json`,
      timeoutMs: 120_000,
      silenceMs: 60_000,
      maxParallel: null,
    },
  },
  repos: { main: delivered(delivery) },
  github: { webhookSecretEnv: null, pollMs: 60_000 },
  retention: { days: 30, gb: 5 },
  ship: {
    platform: 'local',
    steps: [100],
    bakeMs: 0,
    observeMs: 0,
    maxErrorRate: 1,
    maxP99Ms: 1000,
    falseAlarmRate: 0.01,
    auto: 'never',
  },
});
