import type { Kysely } from 'kysely';
import type { Convoy } from '../../domain/convoy/convoy.ts';
import { chunks } from '../chunks.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type ConvoyFilter = {
  readonly status?: readonly string[] | undefined;
  readonly live?: boolean;
  readonly before?: { readonly createdAt: number; readonly id: string } | undefined;
  readonly limit: number;
};

const ENDED = ['landed', 'closed', 'cancelled'];

/** Convoys, newest first. */
export async function convoyList(db: Db, filter: ConvoyFilter): Promise<Convoy[]> {
  const { status, live, before, limit } = filter;
  let query = db
    .selectFrom('convoy')
    .select('state')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (status !== undefined) query = query.where('status', 'in', status);
  if (live === true) query = query.where('status', 'not in', ENDED);
  if (before !== undefined)
    query = query.where((eb) =>
      eb.or([
        eb('created_at', '<', before.createdAt),
        eb('created_at', '=', before.createdAt).and('id', '<', before.id),
      ]),
    );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the convoy aggregate writes this column
  return (await query.execute()).map(({ state }) => JSON.parse(state) as Convoy);
}

export type StatusCount = {
  readonly convoy: string;
  readonly status: string;
  readonly type: string;
  readonly count: number;
};

/** How many members of each convoy are in each state; progress is counted from this. */
export async function statusCounts(db: Db, convoys: readonly string[]): Promise<StatusCount[]> {
  const found: StatusCount[] = [];
  for (const some of chunks(convoys)) {
    const rows = await db
      .selectFrom('convoy_task')
      .innerJoin('task', 'task.id', 'convoy_task.task')
      .select(({ fn }) => [
        'convoy_task.convoy',
        'task.status',
        'task.type',
        fn.countAll<number>().as('count'),
      ])
      .where('convoy_task.convoy', 'in', some)
      .groupBy(['convoy_task.convoy', 'task.status', 'task.type'])
      .execute();
    found.push(...rows);
  }
  return found;
}

/** The convoys with these ids, in no particular order. */
export async function convoysById(db: Db, ids: readonly string[]): Promise<Convoy[]> {
  const found: Convoy[] = [];
  for (const some of chunks(ids)) {
    const rows = await db.selectFrom('convoy').select('state').where('id', 'in', some).execute();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the convoy aggregate writes this column
    found.push(...rows.map(({ state }) => JSON.parse(state) as Convoy));
  }
  return found;
}
