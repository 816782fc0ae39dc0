import { err, ok, type Result } from '../../../lib/result.ts';
import { unreachable } from '../../../lib/unreachable.ts';
import { ENDED, RESUMABLE, RUN_STATUSES } from './run.ts';
import type { Run, RunCommand, RunEvent, RunRefusal, RunStatus } from './run.ts';

const LIVE: readonly RunStatus[] = RUN_STATUSES.filter((status) => !ENDED.includes(status));
const AT_WORK: readonly RunStatus[] = ['running'];

const ALLOWED: Record<RunCommand['type'], readonly RunStatus[]> = {
  start: ['pending', 'awaiting_approval'],
  resume: RESUMABLE,
  'begin-stage': AT_WORK,
  'end-stage': AT_WORK,
  'keep-stage': AT_WORK,
  note: AT_WORK,
  'await-approval': ['running', 'awaiting_approval'],
  'go-on': ['awaiting_approval'],
  'medic-step': AT_WORK,
  diagnose: AT_WORK,
  rest: ['pending', 'running', 'awaiting_approval', 'rolling_back'],
  end: LIVE,
};

/** What a command would change about a run, or why it may not. */
export function decideRun(run: Run, command: RunCommand): Result<RunEvent[], RunRefusal> {
  if (!ALLOWED[command.type].includes(run.status))
    return err({ kind: 'wrong-state', command: command.type, status: run.status });
  switch (command.type) {
    case 'start':
      return ok([{ type: 'run-started' }]);
    case 'resume':
      return ok([{ ...command, type: 'run-resumed' }]);
    case 'begin-stage':
      return ok([{ ...command, type: 'stage-started' }]);
    case 'end-stage':
      return ok([{ ...command, type: 'stage-ended' }]);
    case 'keep-stage':
      return ok([{ ...command, type: 'stage-kept' }]);
    case 'note':
      return ok([{ ...command, type: 'run-noted' }]);
    case 'await-approval':
      return ok(isSame(run, command) ? [] : [{ ...command, type: 'approval-awaited' }]);
    case 'go-on':
      return ok(run.waiting === null ? [] : [{ type: 'approval-answered', waiting: run.waiting }]);
    case 'medic-step':
      return ok([{ ...command, type: 'medic-stepped' }]);
    case 'diagnose':
      return ok([{ ...command, type: 'run-diagnosed' }]);
    case 'rest':
      return ok([{ ...command, type: 'run-rested' }]);
    case 'end':
      return ok([{ ...command, type: 'run-ended' }]);
    default:
      return unreachable(command);
  }
}

const isSame = (run: Run, { waiting }: Extract<RunCommand, { type: 'await-approval' }>): boolean =>
  run.status === 'awaiting_approval' && run.waiting?.approval === waiting.approval;
