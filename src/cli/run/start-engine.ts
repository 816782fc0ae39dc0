import type { Problem } from '../../contract/problem.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { CommandContext } from '../context.ts';

type Context = Pick<CommandContext, 'host' | 'dir' | 'env' | 'err'>;

/** What was launched needs somebody to do it: an engine in the background, unless one is up. */
export async function startEngine({
  host,
  dir,
  env,
  err,
}: Context): Promise<Result<{ readonly url: string }, Problem>> {
  const up = await host.detach({ dir, env, port: null });
  if (!up.ok) return up;
  err(
    up.value.already
      ? `The engine is up at ${up.value.url}.`
      : `Started the engine in the background, at ${up.value.url}; convoy down stops it.`,
  );
  return ok({ url: up.value.url });
}
