import type { Kysely } from 'kysely';

/** How long attempts took in a repo lately is asked with every status of a convoy. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('attempt_by_repo')
    .on('attempt')
    .columns(['repo', 'status', 'created_at'])
    .execute();
}
