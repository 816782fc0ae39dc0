import type { Kysely } from 'kysely';
import type { Approval, ApprovalStatus } from '../../domain/approval/approval.ts';
import { approvalIn } from '../aggregates/approval.ts';
import type { Tables } from '../tables.ts';

export type ApprovalFilter = {
  readonly status?: readonly ApprovalStatus[] | undefined;
  readonly subject?: string | undefined;
  readonly kind?: readonly string[] | undefined;
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined;
  readonly limit: number;
};

/** Approvals, the longest waiting first. */
export async function approvalList(
  db: Kysely<Tables>,
  { status, subject, kind, after, limit }: ApprovalFilter,
): Promise<Approval[]> {
  let query = db
    .selectFrom('approval')
    .select('state')
    .orderBy('requested_at')
    .orderBy('id')
    .limit(limit);
  if (status !== undefined) query = query.where('status', 'in', status);
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (kind !== undefined) query = query.where('kind', 'in', kind);
  if (after !== undefined)
    query = query.where((eb) =>
      eb.or([
        eb('requested_at', '>', after.createdAt),
        eb('requested_at', '=', after.createdAt).and('id', '>', after.id),
      ]),
    );
  return (await query.execute()).map(approvalIn);
}
