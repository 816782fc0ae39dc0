import type { AgentEvent } from '../../../ports/agent.ts';
import { countIn, type Json, objectIn, textIn } from '../json.ts';
import { statusIn } from './status-in.ts';

/** Reads a line of `gemini -o stream-json`. */
export function readGeminiLine(line: Json): AgentEvent[] {
  switch (line['type']) {
    case 'init':
      return [{ kind: 'session', id: textIn(line, 'session_id') }];
    case 'message':
      // It repeats the prompt as the user's message.
      if (line['role'] !== 'assistant') return [];
      return [{ kind: 'message', text: textIn(line, 'content'), thinking: false }];
    case 'tool_use':
      return [toolCall(line)];
    case 'tool_result':
      return [toolResult(line)];
    case 'error':
      return [problem('error', textIn(line, 'message'), false)];
    case 'result':
      return result(line);
    default:
      return [];
  }
}

function toolCall(line: Json): AgentEvent {
  const given = objectIn(line, 'parameters');
  return {
    kind: 'tool-call',
    id: textIn(line, 'tool_id'),
    tool: textIn(line, 'tool_name'),
    target: textIn(given, 'file_path') || textIn(given, 'command') || null,
  };
}

function toolResult(line: Json): AgentEvent {
  const error = objectIn(line, 'error');
  const text = textIn(error, 'message') || textIn(line, 'output');
  const isRefused = /not in workspace|denied by policy|permission/i.test(text);
  const outcome = line['status'] !== 'error' ? 'ok' : isRefused ? 'refused' : 'failed';
  return { kind: 'tool-result', id: textIn(line, 'tool_id'), outcome, text };
}

function result(line: Json): AgentEvent[] {
  const stats = objectIn(line, 'stats');
  const spent: AgentEvent = {
    kind: 'usage',
    scope: 'total',
    tokens: { input: countIn(stats, 'input_tokens'), output: countIn(stats, 'output_tokens') },
    costUsd: null,
  };
  if (line['status'] !== 'error')
    return [spent, { kind: 'note', code: 'turn-completed', text: '' }];
  const error = objectIn(line, 'error');
  return [spent, problem(textIn(error, 'type'), textIn(error, 'message'), true)];
}

const problem = (code: string, message: string, fatal: boolean): AgentEvent => ({
  kind: 'error',
  code: code || 'error',
  message,
  status: statusIn(message),
  fatal,
});
