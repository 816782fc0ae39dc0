import type { AgentEvent } from '../../../ports/agent.ts';
import { countIn, type Json, numberIn, objectIn, objectsIn, textIn } from '../json.ts';
import { statusIn } from './status-in.ts';

/** Reads a line of `codex exec --json`. */
export function readCodexLine(line: Json): AgentEvent[] {
  switch (line['type']) {
    case 'thread.started':
      return [{ kind: 'session', id: textIn(line, 'thread_id') }];
    case 'item.started':
      return started(objectIn(line, 'item'));
    case 'item.completed':
      return completed(objectIn(line, 'item'));
    case 'turn.completed':
      return [usage(objectIn(line, 'usage')), { kind: 'note', code: 'turn-completed', text: '' }];
    case 'turn.failed':
      return [problem(textIn(objectIn(line, 'error'), 'message'), true)];
    case 'error':
      return [problem(textIn(line, 'message'), false)];
    default:
      return [];
  }
}

const CALLS = new Set(['command_execution', 'file_change', 'mcp_tool_call', 'web_search']);

function started(item: Json): AgentEvent[] {
  return CALLS.has(textIn(item, 'type')) ? [call(item)] : [];
}

function completed(item: Json): AgentEvent[] {
  const type = textIn(item, 'type');
  if (type === 'agent_message' || type === 'reasoning')
    return [{ kind: 'message', text: textIn(item, 'text'), thinking: type === 'reasoning' }];
  if (type === 'error') return [problem(textIn(item, 'message'), false)];
  if (!CALLS.has(type)) return [];
  const done: AgentEvent = {
    kind: 'tool-result',
    id: textIn(item, 'id'),
    outcome: outcomeOf(item),
    text: textIn(item, 'aggregated_output') || textIn(objectIn(item, 'error'), 'message'),
  };
  // Only commands are announced when they start.
  return type === 'command_execution' ? [done] : [call(item), done];
}

function outcomeOf(item: Json): 'ok' | 'failed' | 'refused' {
  if (item['status'] === 'declined') return 'refused';
  return item['status'] === 'failed' || (numberIn(item, 'exit_code') ?? 0) !== 0 ? 'failed' : 'ok';
}

function call(item: Json): AgentEvent {
  const changed = objectsIn(item, 'changes').map((change) => textIn(change, 'path'));
  const target = textIn(item, 'command') || textIn(item, 'query') || changed.join(', ');
  return {
    kind: 'tool-call',
    id: textIn(item, 'id'),
    tool: textIn(item, 'tool') || textIn(item, 'type'),
    target: target === '' ? null : target,
  };
}

const usage = (spent: Json): AgentEvent => ({
  kind: 'usage',
  scope: 'step',
  tokens: { input: countIn(spent, 'input_tokens'), output: countIn(spent, 'output_tokens') },
  costUsd: null,
});

const problem = (message: string, fatal: boolean): AgentEvent => ({
  kind: 'error',
  code: fatal ? 'turn-failed' : 'warning',
  message,
  status: statusIn(message),
  fatal,
});
