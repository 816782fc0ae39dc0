import type { Kysely } from 'kysely';
import type { Problem } from '../contract/problem.ts';
import type { Run } from '../domain/ship/run/run.ts';
import { runAggregate } from '../ledger/aggregates/run.ts';
import type { Tables } from '../ledger/tables.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { find } from './find.ts';

/** The run an id or an unambiguous prefix of one names. */
export async function findRun(db: Kysely<Tables>, text: string): Promise<Result<Run, Problem>> {
  const named = await find(db, text, ['run']);
  if (!named.ok) return named;
  const stored = await runAggregate.load(db, named.value.id);
  if (stored !== null) return ok(stored.state);
  return err({ kind: 'not_found', code: 'run_not_found', message: `There is no run ${text}.` });
}
