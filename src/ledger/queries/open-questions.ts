import type { Kysely } from 'kysely';
import type { Approval } from '../../domain/approval/approval.ts';
import { approvalIn } from '../aggregates/approval.ts';
import type { Tables } from '../tables.ts';

const ASKED_BY_AGENTS = ['input', 'permission'];

/** What these attempts wait to hear from a person, the longest waiting first. */
export async function openQuestions(
  db: Kysely<Tables>,
  attempts: readonly string[],
): Promise<Approval[]> {
  if (attempts.length === 0) return [];
  const rows = await db
    .selectFrom('approval')
    .select('state')
    .where('subject', 'in', attempts)
    .where('kind', 'in', ASKED_BY_AGENTS)
    .where('status', '=', 'pending')
    .orderBy('requested_at')
    .orderBy('id')
    .execute();
  return rows.map(approvalIn);
}
