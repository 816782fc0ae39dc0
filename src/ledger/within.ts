import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * `column` is one of these ids, however many: one value carries them all, so the statement stays
 * the same and is prepared once.
 */
export const within = (
  db: Kysely<Tables>,
  column: string,
  ids: readonly string[],
): RawBuilder<boolean> =>
  db.getExecutor().adapter instanceof SqliteAdapter
    ? sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(ids)}))`
    : sql<boolean>`${sql.ref(column)} = any(${ids}::text[])`;
