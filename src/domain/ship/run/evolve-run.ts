import { unreachable } from '../../../lib/unreachable.ts';
import type { Instant } from '../../work/ids.ts';
import type { Run, RunEvent, StageRecord } from './run.ts';

/** The run after one of its events. */
export function evolveRun(run: Run | null, event: RunEvent, at: Instant): Run {
  if (event.type === 'run-opened') return opened(event, at);
  if (run === null) throw new Error(`The first event of a run is ${event.type}`);
  return { ...run, ...changeBy(run, event, at), updatedAt: at };
}

function opened(event: Extract<RunEvent, { type: 'run-opened' }>, at: Instant): Run {
  const { id, plan, planHash, options } = event;
  return {
    id,
    plan,
    planHash,
    status: 'pending',
    options,
    stages: [],
    waiting: null,
    diagnoses: [],
    reason: null,
    createdAt: at,
    updatedAt: at,
    endedAt: null,
  };
}

function changeBy(
  run: Run,
  event: Exclude<RunEvent, { type: 'run-opened' }>,
  at: Instant,
): Partial<Run> {
  switch (event.type) {
    case 'run-started':
    case 'approval-answered':
      return { status: 'running', waiting: null, reason: null };
    case 'run-resumed':
      return {
        status: 'pending',
        options: event.options,
        waiting: null,
        endedAt: null,
        stages: event.fresh ? [] : run.stages,
      };
    case 'stage-started':
      return { stages: started(run.stages, event, at) };
    case 'stage-ended':
      return {
        stages: replaced(run.stages, event, (record) => ({
          ...record,
          status: event.status,
          evidence: event.evidence,
          endedAt: at,
        })),
      };
    case 'stage-kept':
    case 'run-noted':
    case 'medic-stepped':
      return {};
    case 'approval-awaited':
      return { status: 'awaiting_approval', waiting: event.waiting, reason: event.summary };
    case 'run-diagnosed':
      return { diagnoses: [...run.diagnoses, event.diagnosis] };
    case 'run-rested':
      return {
        status: event.status,
        reason: event.reason,
        waiting: null,
        stages: cutShort(run.stages, at),
      };
    case 'run-ended':
      return {
        status: event.status,
        reason: event.reason,
        waiting: null,
        endedAt: at,
        stages: cutShort(run.stages, at),
      };
    default:
      return unreachable(event);
  }
}

type Place = Pick<StageRecord, 'lane' | 'stage'>;

const isAt = (record: StageRecord, { lane, stage }: Place): boolean =>
  record.lane === lane && record.stage === stage;

function started(
  stages: readonly StageRecord[],
  event: Extract<RunEvent, { type: 'stage-started' }>,
  at: Instant,
): readonly StageRecord[] {
  const { lane, stage, digest } = event;
  const before = stages.find((record) => isAt(record, event));
  const fresh: StageRecord = {
    lane,
    stage,
    status: 'running',
    digest,
    round: (before?.round ?? 0) + 1,
    startedAt: at,
    endedAt: null,
    evidence: {},
  };
  return before === undefined ? [...stages, fresh] : replaced(stages, event, () => fresh);
}

const replaced = (
  stages: readonly StageRecord[],
  place: Place,
  by: (record: StageRecord) => StageRecord,
): readonly StageRecord[] => stages.map((record) => (isAt(record, place) ? by(record) : record));

/** What was under way when the run came to rest did not finish. */
const cutShort = (stages: readonly StageRecord[], at: Instant): readonly StageRecord[] =>
  stages.map((record) =>
    record.status === 'running' ? { ...record, status: 'interrupted', endedAt: at } : record,
  );
