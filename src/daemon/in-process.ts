import { callDirectly } from '../api/direct.ts';
import { diskFull, unreachable } from '../api/ledger-problem.ts';
import type { Client } from '../client/client.ts';
import type { Environment } from '../config/environment.ts';
import type { Workspace } from '../config/workspace.ts';
import type { Problem } from '../contract/problem.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { isDiskFull } from '../ledger/disk-full.ts';
import { LedgerUnreachable } from '../ledger/ledger-unreachable.ts';
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
    return ok({
      call: async (route, input) => {
        const answer = await callDirectly(route, input, who, services);
        // We may be gone in a moment: those who follow the feed must hear of it now. It is
        // committed, so if this fails the next process does it.
        if (route.method !== 'GET') await services.ledger.seal().catch(() => {});
        return answer;
      },
      // Only streams come this way; the rest of the server need not be loaded for a command.
      fetch: async (path, init) => {
        const { createApp } = await import('../api/app.ts');
        const app = await createApp(services, { identify: async () => ok(who), network: null });
        return app.fetch(new Request(NOWHERE + path, init));
      },
    });
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
  if (error instanceof LedgerUnreachable) return unreachable(error);
  if (isDiskFull(error)) return diskFull(error);
  return {
    kind: 'unavailable',
    code: 'ledger_unavailable',
    message: `The ledger of ${workspace.root} cannot be opened.`,
    cause,
    remedy: 'Check the disk, the permissions of .convoy and CONVOY_LEDGER.',
  };
}
