import type { Kysely } from 'kysely';
import type { DiagnosisJson, RunJson } from '../../contract/schemas/ship.ts';
import type { Diagnosis } from '../../domain/ship/medic/diagnosis.ts';
import type { Run } from '../../domain/ship/run/run.ts';
import { approvalList } from '../../ledger/queries/approval-list.ts';
import type { Tables } from '../../ledger/tables.ts';

const MOST_APPROVALS = 200;

/** A run on the wire, with the approvals that belong to it. */
export async function runView(
  db: Kysely<Tables>,
  run: Run,
  dashboard: string | null,
): Promise<RunJson> {
  const approvals = await approvalList(db, { subject: run.id, limit: MOST_APPROVALS });
  const diagnoses = run.diagnoses.map(cardOf);
  return {
    id: run.id,
    plan_id: run.plan,
    status: run.status,
    reason: run.reason,
    demo: run.options.demo,
    created_at: iso(run.createdAt),
    updated_at: iso(run.updatedAt),
    ended_at: run.endedAt === null ? null : iso(run.endedAt),
    stages: run.stages.map((record) => ({
      lane: record.lane,
      stage: record.stage,
      status: record.status,
      round: record.round,
      started_at: iso(record.startedAt),
      ended_at: record.endedAt === null ? null : iso(record.endedAt),
      evidence: { ...record.evidence },
    })),
    approvals: approvals.map(({ id, kind, lane, status, summary, subjectHash }) => ({
      id,
      kind,
      lane,
      status,
      summary,
      subject_hash: subjectHash,
    })),
    diagnosis: diagnoses.at(-1) ?? null,
    diagnoses,
    dashboard: dashboard === null ? null : `${dashboard}/runs/${run.id}`,
  };
}

/** The medic's card on the wire. */
export function cardOf({ rootCause, evidence, ...card }: Diagnosis): DiagnosisJson {
  return {
    lane: card.lane,
    root_cause: rootCause,
    classification: card.classification,
    confidence: card.confidence,
    owned: card.owned,
    fix: card.fix,
    reproduction: card.reproduction,
    evidence: evidence.map((reference) => ({ ...reference })),
    ...(card.by === undefined ? {} : { by: card.by }),
    ...(card.because === undefined ? {} : { because: card.because }),
  };
}

const iso = (at: number): string => new Date(at).toISOString();
