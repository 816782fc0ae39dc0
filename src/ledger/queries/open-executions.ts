import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

const ENDED = ['landed', 'closed', 'cancelled'];
const LANDED = ['merged', 'withdrawn'];

/**
 * Says of an execution whether what it was for is not over yet: an attempt or a review of a convoy that
 * has not ended. Verifications are named by trees, so they are open while any change is under way.
 */
export async function openExecutions(db: Kysely<Tables>): Promise<(name: string) => boolean> {
  const convoys = await db
    .selectFrom('convoy')
    .select('id')
    .where('status', 'not in', ENDED)
    .execute();
  const open = convoys.map(({ id }) => id);
  const attempts = await namesOf(db, 'attempt', open);
  const reviews = await namesOf(db, 'review', open);
  const change = await db
    .selectFrom('change')
    .select('id')
    .where('status', 'not in', LANDED)
    .limit(1)
    .executeTakeFirst();
  return (name) => {
    if (name.startsWith('vf-')) return change !== undefined;
    // A set-up and a further try carry the name of what they belong to in front.
    const owner = name.startsWith('rv-') ? name.replace(/-\d+$/, '') : name.replace(/\..*$/, '');
    return attempts.has(owner) || reviews.has(owner);
  };
}

const MOST = 500;

async function namesOf(
  db: Kysely<Tables>,
  table: 'attempt' | 'review',
  convoys: readonly string[],
): Promise<Set<string>> {
  const names = new Set<string>();
  for (let from = 0; from < convoys.length; from += MOST) {
    const rows = await db
      .selectFrom(table)
      .select('id')
      .where('convoy', 'in', convoys.slice(from, from + MOST))
      .execute();
    for (const { id } of rows) names.add(id);
  }
  return names;
}
