/** What counts when the file says nothing, written as in the file; null stands for "not set". */
export const DEFAULTS = {
  workspace: {
    max_parallel: 4,
    dispatch: 'default',
    coordinator: null,
    attempts: 3,
    backoff: '5s',
    breaker: 5,
    notify: [],
    conflict_limit: '4h',
    watchdog: '15m',
  },
  budget: { usd: 0, tokens: 0, minutes: 0 },
  model: { provider: 'anthropic', name: null },
  github: { webhook_secret_env: '', poll: '1m' },
  retention: { days: 30, gb: 5 },
  ship: {
    platform: 'local',
    steps: [5, 25, 50, 100],
    bake: '30s',
    observe: '2m',
    max_error_rate: 0.05,
    max_p99_ms: 1000,
    false_alarm_rate: 0.01,
    auto: 'never',
  },
  agent: {
    adapter: 'command',
    command: null,
    preset: null,
    timeout: '30m',
    silence: '10m',
    max_parallel: null,
    permissions: 'worktree',
    script: null,
  },
  repo: {
    target: null,
    agent: null,
    merge_mode: 'review-then-land',
    strategy: 'merge',
    delivery: 'direct',
    pr_merge: 'approved',
    // `review` follows from whether there is a reviewer: see defaultReview.
    reviewer: null,
    review_each: false,
    slots: 2,
    setup: null,
    wip: 'continue',
    failure_policy: 'hold',
    allowed_paths: [],
    review_prompt: '',
    env: [],
  },
  gate: { timeout: '10m', retries: 0, env: [], require_tests: false, phase: 'always' },
} as const;

/** Naming a reviewer is asking for reviews. */
export const defaultReview = (reviewer: unknown): 'agent' | 'none' =>
  typeof reviewer === 'string' ? 'agent' : 'none';

export const RESERVED_PREFIXES: readonly string[] = ['cv', 'plan', 'run', 'ap', 'crew'];
