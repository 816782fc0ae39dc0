import type { AgentEvent } from '../../../ports/agent.ts';
import { countIn, type Json, numberIn, objectIn, textIn } from '../json.ts';

/** Reads a line of `opencode run --format json`. */
export function readOpencodeLine(line: Json): AgentEvent[] {
  const part = objectIn(line, 'part');
  switch (line['type']) {
    case 'step_start':
      return [{ kind: 'session', id: textIn(line, 'sessionID') }];
    case 'text':
      return [{ kind: 'message', text: textIn(part, 'text'), thinking: false }];
    case 'reasoning':
      return [{ kind: 'message', text: textIn(part, 'text'), thinking: true }];
    case 'tool_use':
      return toolUse(part);
    case 'step_finish':
      return stepFinish(part);
    case 'error':
      return [problem(objectIn(line, 'error'))];
    default:
      return [];
  }
}

/** Told once, when it is over: call and result in one. */
function toolUse(part: Json): AgentEvent[] {
  const state = objectIn(part, 'state');
  const input = objectIn(state, 'input');
  const id = textIn(part, 'callID');
  const failure = textIn(state, 'error');
  const isRefused = /rejected permission|permission.*denied|rule which prevents/i.test(failure);
  return [
    {
      kind: 'tool-call',
      id,
      tool: textIn(part, 'tool'),
      target: textIn(input, 'filePath') || textIn(input, 'command') || null,
    },
    {
      kind: 'tool-result',
      id,
      outcome: state['status'] !== 'error' ? 'ok' : isRefused ? 'refused' : 'failed',
      text: failure || textIn(state, 'output'),
    },
  ];
}

function stepFinish(part: Json): AgentEvent[] {
  const tokens = objectIn(part, 'tokens');
  const cache = objectIn(tokens, 'cache');
  const spent: AgentEvent = {
    kind: 'usage',
    scope: 'step',
    tokens: {
      input: countIn(tokens, 'input') + countIn(cache, 'read') + countIn(cache, 'write'),
      output: countIn(tokens, 'output') + countIn(tokens, 'reasoning'),
    },
    costUsd: numberIn(part, 'cost'),
  };
  return part['reason'] === 'stop'
    ? [spent, { kind: 'note', code: 'turn-completed', text: '' }]
    : [spent];
}

function problem(error: Json): AgentEvent {
  const data = objectIn(error, 'data');
  return {
    kind: 'error',
    code: textIn(error, 'name') || 'error',
    message: textIn(data, 'message') || textIn(error, 'name'),
    status: numberIn(data, 'statusCode'),
    fatal: true,
  };
}
