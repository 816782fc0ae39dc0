import type { Kysely } from 'kysely';
import type { Problem } from '../../contract/problem.ts';
import { type Identity, mayTouch } from '../../domain/identity/identity.ts';
import type { Task } from '../../domain/work/task.ts';
import type { Tables } from '../../ledger/tables.ts';
import { err, type Result } from '../../lib/result.ts';
import { findTask } from '../find.ts';

/**
 * The task an id names, for whoever may touch it. A worker learns nothing of other tasks, not even
 * whether they exist.
 */
export async function findOwnTask(
  db: Kysely<Tables>,
  text: string,
  identity: Identity,
): Promise<Result<Task, Problem>> {
  const found = await findTask(db, text);
  if (found.ok) return mayTouch(identity, found.value.id) ? found : err(notYours(identity));
  return mayTouch(identity, text) ? found : err(notYours(identity));
}

export const notYours = ({ role, task }: Identity): Problem => ({
  kind: 'forbidden',
  code: 'not_your_task',
  message: `This ${role}'s token is good for ${task ?? 'no task'} only.`,
  remedy: 'Ask the manager or the operator to do it.',
});
