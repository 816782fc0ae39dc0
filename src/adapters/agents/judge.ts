import {
  type AgentError,
  type AttemptEnd,
  type Doubt,
  type Transcript,
  TRY_LATER,
} from '../../ports/agent.ts';
import type { Ended } from '../../ports/executor.ts';
import { unreachable } from '../../lib/unreachable.ts';

export type Judging = {
  /** Its output says when it is through, so silence about that is a doubt. */
  readonly tellsCompletion: boolean;
};

/**
 * What the end of a process and its output prove together. An exit code of 0 is only a claim: agents
 * were seen to exit 0 with the model unreachable and with every tool refused.
 */
export function judge(end: Ended, transcript: Transcript, judging: Judging): AttemptEnd {
  if (end.status === 'lost') return failed('lost', end.because, true);
  switch (end.how.kind) {
    case 'not-started':
      return failed('not-started', end.how.message, false);
    case 'signal':
      return failed('signal', `ended by ${end.how.signal}`, false);
    case 'code':
      return judgeCode(end.how.code, transcript, judging);
    default:
      return unreachable(end.how);
  }
}

function judgeCode(code: number, transcript: Transcript, judging: Judging): AttemptEnd {
  if (code === TRY_LATER) return { kind: 'later', message: laterMessage(transcript) };
  if (transcript.fatal !== null) return byError(transcript.fatal, code);
  if (code === 126 || code === 127)
    return failed('not-started', `exit ${code}: the command cannot be run or was not found`, false);
  if (code === 0) return { kind: 'finished', doubts: doubtsAbout(transcript, judging) };
  const said = transcript.lastError?.message;
  return failed('exit', said === undefined ? `exit ${code}` : `exit ${code}: ${said}`, false);
}

const laterMessage = ({ lastError, lastMessage }: Transcript): string =>
  lastError?.message ?? (lastMessage === '' ? `exit ${TRY_LATER}` : lastMessage);

function byError(error: AgentError, code: number): AttemptEnd {
  const { status } = error;
  const isApi = status !== null || error.code === 'api_error';
  const message = code === 0 ? `${error.message} (behind exit 0)` : error.message;
  return failed(isApi ? 'api-error' : 'agent-error', message, isPassing(status));
}

/** Too many, too busy, broken over there: it passes. A wrong key does not. */
const isPassing = (status: number | null): boolean =>
  status !== null && (status === 408 || status === 429 || status >= 500);

const MOST_NAMED = 3;

function doubtsAbout(transcript: Transcript, { tellsCompletion }: Judging): Doubt[] {
  const { ok, failed: failures, refused } = transcript.toolResults;
  const doubts: Doubt[] = [];
  if (refused > 0) {
    const named = transcript.refusals.slice(0, MOST_NAMED).map(({ text }) => text);
    doubts.push({ kind: 'tools-refused', message: `${refused} refused: ${named.join('; ')}` });
  }
  if (failures > 0 && ok === 0)
    doubts.push({ kind: 'tools-failed', message: `none of its ${failures} tool calls worked` });
  if (tellsCompletion && !transcript.completed)
    doubts.push({ kind: 'not-completed', message: 'it ended without saying that it was through' });
  return doubts;
}

const failed = (
  reason: Extract<AttemptEnd, { kind: 'failed' }>['reason'],
  message: string,
  transient: boolean,
): AttemptEnd => ({ kind: 'failed', reason, message, transient });
