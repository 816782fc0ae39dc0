import type { Kysely } from 'kysely';
import type { Attempt } from '../../domain/work/attempt.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
const LIVE = ['starting', 'running', 'submitting'];

/** Attempts that hold a task now. */
export async function liveAttempts(db: Db): Promise<Attempt[]> {
  const rows = await db
    .selectFrom('attempt')
    .select('state')
    .where('status', 'in', LIVE)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(parsed);
}

/** Every attempt at a task, the first one first. */
export async function attemptsOf(db: Db, task: string): Promise<Attempt[]> {
  const rows = await db
    .selectFrom('attempt')
    .select('state')
    .where('task', '=', task)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(parsed);
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the attempt aggregate writes this column
const parsed = ({ state }: { state: string }): Attempt => JSON.parse(state) as Attempt;
