import type { Kysely } from 'kysely';
import { type ConvoyId, convoyId, type TaskId, taskId } from '../../domain/work/ids.ts';
import { chunks } from '../chunks.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** The tasks a convoy tracks, oldest first. */
export async function convoyMembers(db: Db, convoy: string): Promise<TaskId[]> {
  const rows = await db
    .selectFrom('convoy_task')
    .innerJoin('task', 'task.id', 'convoy_task.task')
    .select('task.id')
    .where('convoy_task.convoy', '=', convoy)
    .orderBy('task.created_at')
    .orderBy('task.id')
    .execute();
  return rows.map(({ id }) => taskId(id));
}

export type Membership = {
  readonly task: TaskId;
  readonly convoy: ConvoyId;
  readonly status: string;
};

const ENDED = ['landed', 'closed', 'cancelled'];

/** The convoys that hold the given tasks and have not ended. */
export async function activeMemberships(db: Db, tasks: readonly string[]): Promise<Membership[]> {
  const found: Membership[] = [];
  for (const some of chunks(tasks)) {
    const rows = await db
      .selectFrom('convoy_task')
      .innerJoin('convoy', 'convoy.id', 'convoy_task.convoy')
      .select(['convoy_task.task', 'convoy_task.convoy', 'convoy.status'])
      .where('convoy_task.task', 'in', some)
      .where('convoy.status', 'not in', ENDED)
      .orderBy('convoy.created_at')
      .orderBy('convoy.id')
      .orderBy('convoy_task.task')
      .execute();
    found.push(
      ...rows.map((row) => ({
        task: taskId(row.task),
        convoy: convoyId(row.convoy),
        status: row.status,
      })),
    );
  }
  return found;
}

/** The convoy each task belongs to: the one that has not ended, otherwise the newest. */
export async function convoyOfTasks(
  db: Db,
  tasks: readonly string[],
): Promise<Map<string, ConvoyId>> {
  const found = new Map<string, ConvoyId>();
  for (const some of chunks(tasks)) {
    const rows = await db
      .selectFrom('convoy_task')
      .innerJoin('convoy', 'convoy.id', 'convoy_task.convoy')
      .select(['convoy_task.task', 'convoy_task.convoy', 'convoy.status', 'convoy.created_at'])
      .where('convoy_task.task', 'in', some)
      .orderBy('convoy.created_at')
      .orderBy('convoy.id')
      .execute();
    for (const { task, convoy } of rows.filter(({ status }) => ENDED.includes(status)))
      found.set(task, convoyId(convoy));
    for (const { task, convoy } of rows.filter(({ status }) => !ENDED.includes(status)))
      found.set(task, convoyId(convoy));
  }
  return found;
}
