import { type Expression, type Kysely, sql, type SqlBool } from 'kysely';
import type { Tables } from '../tables.ts';

export type SealedEvent = {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly subject: string;
  readonly actor: string;
  readonly data: Record<string, unknown>;
};

/** Sealed events after a sequence number, in order; nothing that is not sealed is ever seen. */
export async function eventsAfter(
  db: Kysely<Tables>,
  after: number,
  filter: { limit: number; subject?: string | undefined; kinds?: readonly string[] | undefined },
): Promise<SealedEvent[]> {
  const { limit, subject, kinds } = filter;
  const rows = await db
    .selectFrom('event')
    .select(['seq', 'at', 'kind', 'subject', 'actor', 'data'])
    .where('seq', '>', after)
    .$if(subject !== undefined, (query) => query.where(about(subject ?? '')))
    .$if(kinds !== undefined && kinds.length > 0, (query) => query.where('kind', 'in', kinds ?? []))
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(({ seq, data, ...event }) => ({
    ...event,
    seq: seq ?? 0,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only transactions write this column
    data: JSON.parse(data) as Record<string, unknown>,
  }));
}

/** Events name `task/web-a3f`; people say `web-a3f`. */
function about(subject: string): Expression<SqlBool> {
  if (subject.includes('/')) return sql<SqlBool>`subject = ${subject}`;
  const tail = `/${subject}`;
  return sql<SqlBool>`substr(subject, length(subject) - ${sql.lit(tail.length - 1)}) = ${tail}`;
}
