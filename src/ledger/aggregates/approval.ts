import type { Kysely } from 'kysely';
import type { Approval, ApprovalEvent } from '../../domain/approval/approval.ts';
import { evolveApproval } from '../../domain/approval/evolve-approval.ts';
import type { Aggregate, Change, Stored } from '../aggregate.ts';
import type { Tables } from '../tables.ts';

/** Approvals in the ledger. */
export const approvalAggregate: Aggregate<Approval, ApprovalEvent> = {
  name: 'approval',
  evolve: evolveApproval,
  load,
  save,
  stored: (db) => db.selectFrom('approval').selectAll().execute(),
  row: rowOf,
  satellites: [],
};

async function load(db: Kysely<Tables>, id: string): Promise<Stored<Approval> | null> {
  const row = await db
    .selectFrom('approval')
    .select(['state', 'version'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? null : { state: approvalIn(row), version: row.version };
}

/** The approval a row holds. */
export const approvalIn = ({ state }: { readonly state: string }): Approval =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only save() writes this column
  JSON.parse(state) as Approval;

async function save(db: Kysely<Tables>, change: Change<Approval, ApprovalEvent>): Promise<void> {
  const row = rowOf(change.after, change.version);
  await db
    .insertInto('approval')
    .values(row)
    .onConflict((clash) => clash.column('id').doUpdateSet(row))
    .execute();
}

function rowOf(approval: Approval, version: number): Tables['approval'] {
  return {
    id: approval.id,
    version,
    kind: approval.kind,
    subject: approval.subject,
    lane: approval.lane,
    subject_hash: approval.subjectHash,
    status: approval.status,
    requested_at: approval.requestedAt,
    state: JSON.stringify(approval),
  };
}
