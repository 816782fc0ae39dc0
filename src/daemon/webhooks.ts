import type { Services } from '../api/context.ts';
import type { Webhooks } from '../api/webhooks.ts';
import { given } from '../config/environment.ts';
import type { Variables } from './services.ts';

/** Deliveries of forges, for the process that holds the engine. */
export const webhooksOf = (
  { settings }: Pick<Services, 'settings'>,
  env: Variables,
  arrived: () => void,
): Webhooks => ({
  githubSecret: () => {
    const read = settings.read();
    const name = read.ok ? read.value.github.webhookSecretEnv : null;
    return name === null ? null : given(env, name);
  },
  arrived,
});
