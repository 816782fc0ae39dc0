import type { ModelSettings } from '../../ports/settings.ts';

export type Access = { readonly apiKey: string | null; readonly baseUrl: string | null };
export type ModelAccess = { readonly anthropic: Access; readonly openai: Access };

/** Everything that is needed to ask a model. */
export type Address = {
  readonly provider: ModelSettings['provider'];
  readonly name: string;
  readonly baseURL: string;
  readonly apiKey: string | null;
};

const DEFAULT_NAMES = {
  anthropic: 'claude-sonnet-5-5',
  'openai-compatible': 'gpt-5.6',
} as const;

/** Where the model of the settings is; null when there is nothing to reach it with. */
export function addressOf(settings: ModelSettings, access: ModelAccess): Address | null {
  const { provider } = settings;
  const name = settings.name ?? DEFAULT_NAMES[provider];
  if (provider === 'anthropic') {
    const { apiKey, baseUrl } = access.anthropic;
    const base = trimmed(baseUrl ?? 'https://api.anthropic.com');
    // The variable is shared with other tools, which add the version themselves.
    const baseURL = base.endsWith('/v1') ? base : `${base}/v1`;
    return apiKey === null ? null : { provider, name, apiKey, baseURL };
  }
  const { apiKey, baseUrl } = access.openai;
  // A server of one's own often wants no key, so an address is enough.
  if (apiKey === null && baseUrl === null) return null;
  return { provider, name, apiKey, baseURL: trimmed(baseUrl ?? 'https://api.openai.com/v1') };
}

const trimmed = (url: string): string => url.replace(/\/+$/, '');
