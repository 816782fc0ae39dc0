import type { Kysely } from 'kysely';
import type { RunJson } from '../../contract/schemas/ship.ts';
import type { RunStatus } from '../../domain/ship/run/run.ts';
import { runList } from '../../ledger/queries/runs.ts';
import type { Tables } from '../../ledger/tables.ts';
import { runView } from './run-view.ts';

/** What a person has to do something about; a run at its gate is shown by its approval. */
const NEEDS_ME: readonly RunStatus[] = ['awaiting_fix', 'paused', 'interrupted', 'rollback_failed'];
const UNDER_WAY: readonly RunStatus[] = ['pending', 'running', 'awaiting_approval', 'rolling_back'];
const MOST = 50;

/** Runs that are not over, and those among them that wait for somebody. */
export async function runsNow(
  db: Kysely<Tables>,
  dashboard: string | null,
): Promise<{
  readonly runs: RunJson[];
  readonly needs: { readonly id: string; readonly kind: string; readonly message: string }[];
}> {
  const live = await runList(db, { status: [...NEEDS_ME, ...UNDER_WAY], limit: MOST });
  return {
    runs: await Promise.all(live.map((run) => runView(db, run, dashboard))),
    needs: live
      .filter(({ status }) => NEEDS_ME.includes(status))
      .map(({ id, plan, status, reason }) => ({
        id,
        kind: status,
        message: `The run of ${plan} is ${status}: ${reason ?? 'convoy resume goes on with it'}`,
      })),
  };
}
