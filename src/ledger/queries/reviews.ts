import type { Kysely } from 'kysely';
import type { Review } from '../../domain/review/review.ts';
import type { Tables } from '../tables.ts';

/** Every review of a convoy, in no particular order. */
export async function reviewsOf(db: Kysely<Tables>, convoy: string): Promise<Review[]> {
  const rows = await db
    .selectFrom('review')
    .select('state')
    .where('convoy', '=', convoy)
    .orderBy('id')
    .execute();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the review aggregate writes this column
  return rows.map(({ state }) => JSON.parse(state) as Review);
}
