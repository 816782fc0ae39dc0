import type { Kysely } from 'kysely';
import type { Task } from '../../domain/work/task.ts';
import type { Tables } from '../tables.ts';

/** Every task of the workspace, oldest first. */
export async function everyTask(db: Kysely<Tables>): Promise<Task[]> {
  const rows = await db
    .selectFrom('task')
    .select('state')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the task aggregate writes this column
  return rows.map(({ state }) => JSON.parse(state) as Task);
}
