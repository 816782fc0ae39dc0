import type { Kysely } from 'kysely';
import type { Run, RunStatus } from '../../domain/ship/run/run.ts';
import type { Tables } from '../tables.ts';

export type RunFilter = {
  readonly status?: readonly RunStatus[] | undefined;
  readonly plan?: string | undefined;
  readonly before?: { readonly createdAt: number; readonly id: string } | undefined;
  readonly limit: number;
};

/** Runs, newest first. */
export async function runList(
  db: Kysely<Tables>,
  { status, plan, before, limit }: RunFilter,
): Promise<Run[]> {
  const rows = await db
    .selectFrom('run')
    .select('state')
    .$if(status !== undefined, (query) => query.where('status', 'in', status ?? []))
    .$if(plan !== undefined, (query) => query.where('plan', '=', plan ?? ''))
    .$if(before !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          eb('created_at', '<', before?.createdAt ?? 0),
          eb('created_at', '=', before?.createdAt ?? 0).and('id', '<', before?.id ?? ''),
        ]),
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the run aggregate writes this column
  return rows.map(({ state }) => JSON.parse(state) as Run);
}
