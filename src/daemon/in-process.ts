import { createApp } from '../api/app.ts';
import type { Client } from '../client/client.ts';
import { clientOver } from '../client/http-client.ts';
import type { Environment } from '../config/environment.ts';
import type { Workspace } from '../config/workspace.ts';
import type { Problem } from '../contract/problem.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { LedgerTooNew } from '../ledger/migrate.ts';
import { localOperator } from './local-operator.ts';
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
    const who = { identity: localOperator(env, 'process'), csrf: null };
    const app = createApp(services, { identify: async () => ok(who), network: null });
    return ok(clientOver(NOWHERE, null, async (request) => app.fetch(request)));
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
