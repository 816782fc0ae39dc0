import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { within } from '../within.ts';

/** What agents noted about how far they came, oldest first, by attempt. */
export async function checkpointsOf(
  db: Kysely<Tables>,
  attempts: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const notes = new Map<string, string[]>();
  if (attempts.length === 0) return notes;
  const rows = await db
    .selectFrom('event')
    .select(['subject', 'data'])
    .where('kind', '=', 'checkpoint-noted')
    .where(
      within(
        db,
        'subject',
        attempts.map((id) => `attempt/${id}`),
      ),
    )
    .orderBy('id')
    .execute();
  for (const { subject, data } of rows) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type says that nothing is known
    const { note } = JSON.parse(data) as { readonly note?: unknown };
    if (typeof note !== 'string') continue;
    const id = subject.slice(subject.indexOf('/') + 1);
    notes.set(id, [...(notes.get(id) ?? []), note]);
  }
  return notes;
}
