import type { Kysely } from 'kysely';
import type { Attempt } from '../../domain/work/attempt.ts';
import type { Tables } from '../tables.ts';
import { firstEventOf } from './in-order.ts';

/** Every attempt made for a convoy, the first one first. */
export async function convoyAttempts(db: Kysely<Tables>, convoy: string): Promise<Attempt[]> {
  const rows = await db
    .selectFrom('attempt')
    .innerJoin('event', (join) => join.on(firstEventOf('attempt')))
    .select('attempt.state')
    .where('attempt.convoy', '=', convoy)
    .orderBy('event.id')
    .execute();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the attempt aggregate writes this column
  return rows.map(({ state }) => JSON.parse(state) as Attempt);
}
