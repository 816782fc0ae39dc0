import { createApp } from '../api/app.ts';
import type { Client } from '../client/client.ts';
import { clientOver } from '../client/http-client.ts';
import type { Environment } from '../config/environment.ts';
import type { Workspace } from '../config/workspace.ts';
import type { Problem } from '../contract/problem.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { LedgerTooNew } from '../ledger/migrate.ts';
import { openServices, type Variables } from './services.ts';

/** Nobody listens: requests never leave the process, so any address will do. */
const NOWHERE = 'http://in-process';

/** The API of a workspace without a daemon. */
export async function openInProcess(
  workspace: Workspace,
  env: Variables,
  settings: Environment,
  version: string,
): Promise<Result<Client, Problem>> {
  try {
    const services = await openServices(workspace, env, settings, {
      version,
      instance: 'in-process',
      engine: false,
      dashboard: null,
    });
    const actor = `operator:${env['USER'] ?? env['LOGNAME'] ?? 'local'}`;
    const app = createApp(services, { identify: async () => actor, hosts: null });
    const answer = async (request: Request): Promise<Response> => {
      const response = await app.fetch(request);
      // We may be gone in a moment: those who follow the feed must hear of it now. It is committed,
      // so if this fails the next process does it.
      if (request.method !== 'GET') await services.ledger.seal().catch(() => {});
      return response;
    };
    return ok(clientOver(NOWHERE, null, answer));
  } catch (error) {
    return err(ledgerProblem(error, workspace));
  }
}

export function ledgerProblem(error: unknown, workspace: Workspace): Problem {
  const cause = error instanceof Error ? error.message : String(error);
  if (error instanceof LedgerTooNew)
    return {
      kind: 'unavailable',
      code: 'ledger_too_new',
      message: cause,
      remedy: 'Update Convoy.',
    };
  return {
    kind: 'unavailable',
    code: 'ledger_unavailable',
    message: `The ledger of ${workspace.root} cannot be opened.`,
    cause,
    remedy: 'Check the disk, the permissions of .convoy and CONVOY_LEDGER.',
  };
}
