import { expect, test } from 'vitest';
import { readSettings } from './read.ts';
import type { Settings } from '../ports/settings.ts';

const ORIGIN = { file: '.convoy/config.toml', root: '/srv/shop' };

function settings(text: string): Settings {
  const result = readSettings(text, ORIGIN);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const WORKSPACE = {
  maxParallel: 4,
  dispatch: 'default',
  coordinator: null,
  attempts: 3,
  backoffMs: 5_000,
  breaker: 5,
  notify: [],
  conflictLimitMs: 14_400_000,
  watchdogMs: 900_000,
};

test('GT-151 an empty file gives the defaults', () =>
  expect(settings('')).toEqual({
    workspace: WORKSPACE,
    notify: {},
    budget: { usd: 0, tokens: 0, minutes: 0 },
    model: { provider: 'anthropic', name: null },
    agents: {},
    repos: {},
    github: { webhookSecretEnv: null, pollMs: 60_000 },
    retention: { days: 30, gb: 5 },
    ship: {
      platform: 'local',
      steps: [5, 25, 50, 100],
      bakeMs: 30_000,
      observeMs: 120_000,
      maxErrorRate: 0.05,
      maxP99Ms: 1_000,
      falseAlarmRate: 0.01,
      auto: 'never',
    },
  }));

test('GT-151 a partial section keeps the other defaults', () =>
  expect(settings('[workspace]\nattempts = 1').workspace).toEqual({
    ...WORKSPACE,
    attempts: 1,
  }));
