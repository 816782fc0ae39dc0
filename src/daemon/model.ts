import { environment } from '../config/environment.ts';
import type { Model } from '../ports/model.ts';
import type { ModelSettings, SettingsStore } from '../ports/settings.ts';
import type { Variables } from './services.ts';

/** The model of `[model]`, or of the usual settings where there is no workspace; null without a key. */
export async function modelOf(
  env: Variables,
  settings: SettingsStore | null,
): Promise<Model | null> {
  const access = environment(env);
  const wanted = modelSettings(settings);
  if (!access.ok || wanted === null) return null;
  const { openModel } = await import('../adapters/model/open-model.ts');
  return openModel(wanted, access.value);
}

const USUAL: ModelSettings = { provider: 'anthropic', name: null };

function modelSettings(settings: SettingsStore | null): ModelSettings | null {
  if (settings === null) return USUAL;
  const read = settings.read();
  return read.ok ? read.value.model : null;
}
