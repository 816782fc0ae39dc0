import type { Kysely } from 'kysely';
import type { Change } from '../../domain/merge/change.ts';
import { orderQueue } from '../../domain/merge/order.ts';
import type { ChangeId } from '../../domain/work/ids.ts';
import type { Task } from '../../domain/work/task.ts';
import type { Tables } from '../tables.ts';
import { openChanges } from './changes.ts';
import { tasksById } from './task-list.ts';

export type Ordered = Change & { readonly needs: readonly ChangeId[] };

/** A queue from front to back, each change with the changes that must come before it. */
export async function orderedQueue(
  db: Kysely<Tables>,
  queue: string,
): Promise<{ entries: Ordered[]; tasks: Task[] }> {
  const open = await openChanges(db, queue);
  const tasks = await tasksById(
    db,
    open.map(({ task }) => task),
  );
  const byTask = new Map(open.map((change) => [change.task as string, change.id]));
  const needs = new Map(
    tasks.map(({ id, dependencies }) => [
      id as string,
      dependencies.flatMap(({ on }) => byTask.get(on) ?? []),
    ]),
  );
  const entries = orderQueue(
    open.map((change) => ({ ...change, needs: needs.get(change.task) ?? [] })),
  );
  return { entries, tasks };
}
