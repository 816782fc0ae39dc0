import { githubForges } from '../adapters/forges/github/github-forges.ts';
import { noForges } from '../adapters/forges/none/no-forges.ts';
import { environment } from '../config/environment.ts';
import type { Forges } from '../ports/forge.ts';
import type { Variables } from './services.ts';

/** The forges this machine can reach with what its environment says. */
export function forgesOf(env: Variables): Forges {
  const read = environment(env);
  if (!read.ok) return noForges(read.error.message);
  return githubForges({ ...read.value.github, env, now: Date.now });
}
