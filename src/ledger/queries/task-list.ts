import { type Kysely, sql } from 'kysely';
import type { Task } from '../../domain/work/task.ts';
import { chunks } from '../chunks.ts';
import type { Tables } from '../tables.ts';

export type TaskFilter = {
  readonly status?: readonly string[] | undefined;
  readonly type?: readonly string[] | undefined;
  readonly repo?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly parent?: string | undefined;
  readonly convoy?: string | undefined;
  readonly assignee?: string | undefined;
  readonly text?: string | undefined;
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined;
  readonly limit: number;
};

/** Tasks that match every filter given, oldest first. */
export async function taskList(db: Kysely<Tables>, filter: TaskFilter): Promise<Task[]> {
  let query = db
    .selectFrom('task')
    .select('task.state')
    .orderBy('task.created_at')
    .orderBy('task.id')
    .limit(filter.limit);
  const { status, type, repo, parent, assignee, text, convoy, labels, after } = filter;
  if (status !== undefined) query = query.where('task.status', 'in', status);
  if (type !== undefined) query = query.where('task.type', 'in', type);
  if (repo !== undefined) query = query.where('task.repo', '=', repo);
  if (parent !== undefined) query = query.where('task.parent', '=', parent);
  if (assignee !== undefined) query = query.where('task.assignee', '=', assignee);
  if (text !== undefined)
    query = query.where(
      sql<boolean>`lower(task.title) like ${`%${escaped(lowered(text))}%`} escape '!'`,
    );
  if (convoy !== undefined)
    query = query.where('task.id', 'in', (eb) =>
      eb.selectFrom('convoy_task').select('task').where('convoy', '=', convoy),
    );
  for (const label of labels ?? [])
    query = query.where('task.id', 'in', (eb) =>
      eb.selectFrom('task_label').select('task').where('label', '=', label),
    );
  if (after !== undefined)
    query = query.where((eb) =>
      eb.or([
        eb('task.created_at', '>', after.createdAt),
        eb('task.created_at', '=', after.createdAt).and('task.id', '>', after.id),
      ]),
    );
  return (await query.execute()).map(({ state }) => parsed(state));
}

/** The tasks with these ids, in no particular order. */
export async function tasksById(db: Kysely<Tables>, ids: readonly string[]): Promise<Task[]> {
  const found: Task[] = [];
  for (const some of chunks(ids)) {
    const rows = await db.selectFrom('task').select('state').where('id', 'in', some).execute();
    found.push(...rows.map(({ state }) => parsed(state)));
  }
  return found;
}

/** Edges that point at a task: who waits for it, and how. */
export function dependentsOf(db: Kysely<Tables>, id: string): Promise<Tables['dependency'][]> {
  return db
    .selectFrom('dependency')
    .selectAll()
    .where('on_task', '=', id)
    .orderBy('task')
    .orderBy('kind')
    .execute();
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the task aggregate writes this column
const parsed = (state: string): Task => JSON.parse(state) as Task;

const escaped = (text: string): string => text.replaceAll(/[%_!]/g, '!$&');

/** As both engines do it here: only the letters of ASCII have two cases. */
const lowered = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
