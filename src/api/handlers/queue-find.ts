import type { Kysely } from 'kysely';
import type { Problem } from '../../contract/problem.ts';
import type { Change } from '../../domain/merge/change.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { changesOf } from '../../ledger/queries/changes.ts';
import type { Tables } from '../../ledger/tables.ts';
import { ok, type Result } from '../../lib/result.ts';
import { conflict, notFound } from '../problems.ts';

type Db = Kysely<Tables>;

const MOST = 11;

/** The change an id names: its own, a beginning of it, or the task whose last change is meant. */
export async function findChange(db: Db, text: string): Promise<Result<Change, Problem>> {
  const exact = await changeAggregate.load(db, text);
  if (exact !== null) return ok(exact.state);
  const ofTask = (await changesOf(db, text)).at(-1);
  if (ofTask !== undefined) return ok(ofTask);
  const rows = await db
    .selectFrom('change')
    .select('id')
    .where('id', '>=', text)
    .where('id', '<', `${text}\uffff`)
    .limit(MOST)
    .execute();
  const [first, ...others] = rows;
  if (others.length > 0)
    return conflict(
      'ambiguous_id',
      `${text} fits ${rows.length >= MOST ? 'more than ten changes' : rows.map(({ id }) => id).join(', ')}.`,
      'Write more of the id.',
    );
  const stored = first === undefined ? null : await changeAggregate.load(db, first.id);
  if (stored !== null) return ok(stored.state);
  return notFound(
    'change_not_found',
    `There is no change ${text}, and no task ${text} with one.`,
    'convoy queue list --all shows every change that has not landed.',
  );
}
