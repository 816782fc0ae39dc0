import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

export type Named = { readonly kind: 'task' | 'convoy' | 'approval'; readonly id: string };

const MOST_CANDIDATES = 11;

/** What an id names: the exact one, or every one that begins with it. */
export async function resolveId(
  db: Kysely<Tables>,
  text: string,
  kinds: readonly Named['kind'][],
): Promise<Named[]> {
  const found: Named[] = [];
  for (const kind of kinds) {
    const exact = await db.selectFrom(kind).select('id').where('id', '=', text).executeTakeFirst();
    if (exact !== undefined) return [{ kind, id: exact.id }];
  }
  for (const kind of kinds) {
    const rows = await db
      .selectFrom(kind)
      .select('id')
      .where('id', '>=', text)
      .where('id', '<', `${text}\uffff`)
      .orderBy('id')
      .limit(MOST_CANDIDATES)
      .execute();
    found.push(...rows.filter(({ id }) => id.startsWith(text)).map(({ id }) => ({ kind, id })));
  }
  return found;
}
