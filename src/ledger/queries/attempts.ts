import type { Kysely } from 'kysely';
import type { Attempt } from '../../domain/work/attempt.ts';
import type { Tables } from '../tables.ts';
import { firstEventOf } from './in-order.ts';

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
    .innerJoin('event', (join) => join.on(firstEventOf('attempt')))
    .select('attempt.state')
    .where('attempt.task', '=', task)
    .orderBy('event.id')
    .execute();
  return rows.map(parsed);
}

/** Attempts in which an agent called for a person, at tasks that are not done. */
export async function escalatedAttempts(db: Db): Promise<Attempt[]> {
  const rows = await db
    .selectFrom('attempt')
    .innerJoin('task', 'task.id', 'attempt.task')
    .select('attempt.state')
    .where('task.status', 'not in', ['merged', 'closed', 'skipped', 'cancelled'])
    .where('attempt.state', 'like', '%"escalations":[{%')
    .orderBy('attempt.created_at')
    .orderBy('attempt.id')
    .limit(MOST_ESCALATED)
    .execute();
  return rows.map(parsed);
}

const MOST_ESCALATED = 50;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the attempt aggregate writes this column
const parsed = ({ state }: { state: string }): Attempt => JSON.parse(state) as Attempt;
