import type { Client } from '../client/client.ts';
import { environment } from '../config/environment.ts';
import { findWorkspace } from '../config/workspace.ts';
import type { Problem } from '../contract/problem.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { livingDaemon } from './daemon-file.ts';
import type { Variables } from './services.ts';
import { problemOf } from './settings-problem.ts';

export type ConnectPlace = { readonly dir: string; readonly env: Variables };

/**
 * A client for a workspace: over HTTP when its daemon runs, otherwise the same handlers in this
 * process. Whoever carries a token of its own speaks HTTP only and never opens the ledger.
 */
export async function connect(
  place: ConnectPlace,
  version: string,
): Promise<Result<Client, Problem>> {
  const env = environment(place.env);
  if (!env.ok) return err(problemOf(env.error));
  const { token, url } = env.value;
  if (token !== null) {
    if (url === null)
      return err({
        kind: 'invalid',
        code: 'no_url',
        message: 'CONVOY_TOKEN is set, but not the CONVOY_URL it is good for.',
        remedy: 'Set CONVOY_URL too, or unset CONVOY_TOKEN.',
      });
    const { clientByToken } = await import('./http-connection.ts');
    return ok(clientByToken(url, token));
  }
  const workspace = findWorkspace(place.dir);
  if (!workspace.ok) return err(problemOf(workspace.error, 'not_found'));
  const daemon = livingDaemon(workspace.value.dir);
  if (daemon !== null) {
    const { clientOfDaemon } = await import('./http-connection.ts');
    return ok(clientOfDaemon(daemon, workspace.value.dir));
  }
  const { openInProcess } = await import('./in-process.ts');
  return openInProcess(workspace.value, place.env, env.value, version);
}
