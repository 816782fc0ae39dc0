import type { Model } from '../../ports/model.ts';
import type { ModelSettings } from '../../ports/settings.ts';
import { addressOf, type ModelAccess } from './address.ts';
import type { Patience } from './patient-call.ts';
import { type Price, priceOf } from './prices.ts';

export type ModelOptions = {
  readonly patience?: Partial<Patience>;
  readonly price?: Price;
};

const PATIENCE: Patience = {
  tries: 3,
  backoffMs: 1000,
  longestWaitMs: 30_000,
  silenceMs: 90_000,
  chance: Math.random,
};

/** The model of the settings, or null when no key (or address of one's own) is given for it. */
export function openModel(
  settings: ModelSettings,
  access: ModelAccess,
  options: ModelOptions = {},
): Model | null {
  const address = addressOf(settings, access);
  if (address === null) return null;
  const price = options.price ?? priceOf(address.name);
  const patience = { ...PATIENCE, ...options.patience };
  return {
    async converse(conversation) {
      // Loading the library takes a fifth of a second, and most commands never ask a model.
      const [{ languageModel }, { converse }] = await Promise.all([
        import('./provider.ts'),
        import('./converse.ts'),
      ]);
      return converse(languageModel(address), conversation, price, patience);
    },
  };
}
