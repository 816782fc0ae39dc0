import type { Kysely } from 'kysely';
import type { Problem } from '../contract/problem.ts';
import type { Approval } from '../domain/approval/approval.ts';
import type { Convoy } from '../domain/convoy/convoy.ts';
import type { Task } from '../domain/work/task.ts';
import { approvalAggregate } from '../ledger/aggregates/approval.ts';
import { convoyAggregate } from '../ledger/aggregates/convoy.ts';
import { taskAggregate } from '../ledger/aggregates/task.ts';
import { type Named, resolveId } from '../ledger/queries/resolve-id.ts';
import type { Tables } from '../ledger/tables.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { conflict } from './problems.ts';

type Db = Kysely<Tables>;

/** The task an id or an unambiguous prefix of one names. */
export async function findTask(db: Db, text: string): Promise<Result<Task, Problem>> {
  const exact = await taskAggregate.load(db, text);
  if (exact !== null) return ok(exact.state);
  const named = await find(db, text, ['task']);
  if (!named.ok) return named;
  const stored = await taskAggregate.load(db, named.value.id);
  return stored === null ? missing(text, ['task']) : ok(stored.state);
}

/** The convoy an id or an unambiguous prefix of one names. */
export async function findConvoy(db: Db, text: string): Promise<Result<Convoy, Problem>> {
  const named = await find(db, text, ['convoy']);
  if (!named.ok) return named;
  const stored = await convoyAggregate.load(db, named.value.id);
  return stored === null ? missing(text, ['convoy']) : ok(stored.state);
}

/** The approval an id or an unambiguous prefix of one names. */
export async function findApproval(db: Db, text: string): Promise<Result<Approval, Problem>> {
  const named = await find(db, text, ['approval']);
  if (!named.ok) return named;
  const stored = await approvalAggregate.load(db, named.value.id);
  return stored === null ? missing(text, ['approval']) : ok(stored.state);
}

/** Whatever an id or an unambiguous prefix of one names. */
export async function find(
  db: Db,
  text: string,
  kinds: readonly Named['kind'][] = ['task', 'convoy', 'approval'],
): Promise<Result<Named, Problem>> {
  const found = await resolveId(db, text, kinds);
  const [first, ...others] = found;
  if (first === undefined) return missing(text, kinds);
  // An epic and its children share a beginning; the shortest is what was meant only if it is exact.
  if (others.length > 0)
    return conflict(
      'ambiguous_id',
      `${text} fits ${found.length > 10 ? 'more than ten ids' : found.map(({ id }) => id).join(', ')}.`,
      'Write more of the id.',
    );
  return ok(first);
}

const REMEDIES: Readonly<Record<string, string>> = {
  convoy: 'convoy list --all shows every convoy.',
  approval: 'convoy approvals --all shows every approval.',
};

function missing(text: string, kinds: readonly Named['kind'][]): Result<never, Problem> {
  const [kind] = kinds;
  const what = kinds.length === 1 && kind !== undefined ? kind : 'task or convoy';
  return err({
    kind: 'not_found',
    code: kinds.length === 1 && kind !== undefined ? `${kind}_not_found` : 'not_found',
    message: `There is no ${what} ${text} in this workspace.`,
    remedy: REMEDIES[what] ?? 'convoy task list shows the tasks; -C DIR chooses another workspace.',
    ids: [text],
  });
}
