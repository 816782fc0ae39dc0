import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** Deletes what gates said about any stack with this change in it, so that they are asked again. */
export async function forgetAnswers(
  db: Kysely<Tables>,
  repo: string,
  change: string,
): Promise<void> {
  const rows = await db
    .selectFrom('gate_answer')
    .select(['tree', 'gates', 'members'])
    .where('repo', '=', repo)
    .where('members', 'like', `%${change}%`)
    .execute();
  for (const { tree, gates, members } of rows) {
    const named: unknown = JSON.parse(members);
    if (!Array.isArray(named) || !named.includes(change)) continue;
    await db
      .deleteFrom('gate_answer')
      .where('repo', '=', repo)
      .where('tree', '=', tree)
      .where('gates', '=', gates)
      .execute();
  }
}
