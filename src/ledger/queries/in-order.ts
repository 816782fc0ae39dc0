import { type Expression, sql, type SqlBool } from 'kysely';

/**
 * Ties a row to the first event of its subject, for `orderBy('event.id')`: what came first is told by
 * the record. The clock may have been set in between.
 */
export const firstEventOf = (table: 'attempt' | 'change'): Expression<SqlBool> =>
  sql<SqlBool>`event.subject = ${sql.lit(`${table}/`)} || ${sql.ref(`${table}.id`)} and event.version = 1`;
