import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { wrapLanguageModel } from 'ai';
import type { Address } from './address.ts';

export type LanguageModel = Parameters<typeof wrapLanguageModel>[0]['model'];

/** The model at an address, in the form the library wants. */
export function languageModel({ provider, name, baseURL, apiKey }: Address): LanguageModel {
  if (provider === 'anthropic')
    return createAnthropic({ apiKey: apiKey ?? '', baseURL, fetch: straight })(name);
  const compatible = createOpenAICompatible({
    name: provider,
    baseURL,
    includeUsage: true,
    fetch: straight,
    ...(apiKey === null ? {} : { apiKey }),
  });
  return compatible.chatModel(name);
}

/** A redirect would carry the key to another host. */
const straight: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });
