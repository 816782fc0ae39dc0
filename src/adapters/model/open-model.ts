import type { Model } from '../../ports/model.ts';
import type { ModelSettings } from '../../ports/settings.ts';
import { converse } from './converse.ts';
import type { Patience } from './patient-call.ts';
import { type Price, priceOf } from './prices.ts';
import { chooseModel, type ModelAccess } from './provider.ts';

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
  const chosen = chooseModel(settings, access);
  if (chosen === null) return null;
  const price = options.price ?? priceOf(chosen.name);
  const patience = { ...PATIENCE, ...options.patience };
  return { converse: (conversation) => converse(chosen.language, conversation, price, patience) };
}
