import type { Kysely } from 'kysely';
import type { Review } from '../../domain/review/review.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** Every review of a convoy, in no particular order. */
export async function reviewsOf(db: Db, convoy: string): Promise<Review[]> {
  return (await reviews(db).where('convoy', '=', convoy).execute()).map(reviewIn);
}

/** Those without a verdict, or every one. */
export async function reviewList(db: Db, { all }: { readonly all: boolean }): Promise<Review[]> {
  const query = all
    ? reviews(db)
    : reviews(db).where('status', 'in', ['waiting', 'running', 'failed']);
  return (await query.execute()).map(reviewIn);
}

/** Those whose reviewer was started and has not been heard out. */
export const runningReviews = async (db: Db): Promise<Review[]> =>
  (await reviews(db).where('status', '=', 'running').execute()).map(reviewIn);

const reviews = (db: Db) => db.selectFrom('review').select('state').orderBy('id');

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the review aggregate writes this column
const reviewIn = ({ state }: { readonly state: string }): Review => JSON.parse(state) as Review;
