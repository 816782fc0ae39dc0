import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { wrapLanguageModel } from 'ai';
import type { ModelSettings } from '../../ports/settings.ts';

export type Access = { readonly apiKey: string | null; readonly baseUrl: string | null };
export type ModelAccess = { readonly anthropic: Access; readonly openai: Access };
export type LanguageModel = Parameters<typeof wrapLanguageModel>[0]['model'];
export type Chosen = { readonly language: LanguageModel; readonly name: string };

export const DEFAULT_NAMES = {
  anthropic: 'claude-sonnet-5-5',
  'openai-compatible': 'gpt-5.6',
} as const;

/** The model that the settings name; null when there is nothing to reach it with. */
export function chooseModel(settings: ModelSettings, access: ModelAccess): Chosen | null {
  const name = settings.name ?? DEFAULT_NAMES[settings.provider];
  const language =
    settings.provider === 'anthropic'
      ? anthropicModel(name, access.anthropic)
      : compatibleModel(name, access.openai);
  return language && { language, name };
}

function anthropicModel(name: string, { apiKey, baseUrl }: Access): LanguageModel | null {
  if (apiKey === null) return null;
  const base = (baseUrl ?? 'https://api.anthropic.com').replace(/\/+$/, '');
  // The variable is shared with other tools, which add the version themselves.
  const baseURL = base.endsWith('/v1') ? base : `${base}/v1`;
  return createAnthropic({ apiKey, baseURL, fetch: straight })(name);
}

/** A server of one's own often wants no key, so an address is enough. */
function compatibleModel(name: string, { apiKey, baseUrl }: Access): LanguageModel | null {
  if (apiKey === null && baseUrl === null) return null;
  const baseURL = (baseUrl ?? 'https://api.openai.com/v1').replace(/\/+$/, '');
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL,
    includeUsage: true,
    fetch: straight,
    ...(apiKey === null ? {} : { apiKey }),
  });
  return provider.chatModel(name);
}

/** A redirect would carry the key to another host. */
const straight: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });
