import { type ModelOptions, openModel } from '../../src/adapters/model/open-model.ts';
import type { Model, ModelLimits } from '../../src/ports/model.ts';
import type { Reply, ToolCall } from '../fakes/model-server/protocol.ts';
import type { Scenario } from '../fakes/model-server/scenarios.ts';

export const KEY = 'sk-ant-test-0123456789abcdef';
export const NAME = 'a-model-nobody-knows';
export const PROTOCOLS = ['anthropic', 'openai-compatible'] as const;
export type Provider = (typeof PROTOCOLS)[number];

export const LIMITS: ModelLimits = { turns: 6, tokens: 200_000, usd: 5, ms: 20_000 };

const QUICK = { tries: 3, backoffMs: 1, longestWaitMs: 20, silenceMs: 5000, chance: () => 0 };

/** A model of ours that asks the fake server, quick to come back. */
export function modelAt(
  url: string,
  scenario: string,
  provider: Provider = 'anthropic',
  options: ModelOptions = {},
): Model {
  const base = `${url}/s/${scenario}`;
  const model = openModel(
    { provider, name: NAME },
    {
      anthropic: { apiKey: KEY, baseUrl: base },
      openai: { apiKey: KEY, baseUrl: `${base}/v1` },
    },
    { ...options, patience: { ...QUICK, ...options.patience } },
  );
  if (model === null) throw new Error('there is a key');
  return model;
}

export const say = (text: string): Reply => ({ kind: 'turn', text });
export const call = (...calls: ToolCall[]): Reply => ({ kind: 'turn', calls });

/** Answers the first question with the first reply and so on; the last one stays. */
export const inTurn =
  (...replies: [Reply, ...Reply[]]): Scenario =>
  ({ request }) =>
    replies[Math.min(request, replies.length) - 1] ?? replies[0];
