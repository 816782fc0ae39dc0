import type { AgentEvent } from '../../../ports/agent.ts';
import { countIn, type Json, numberIn, objectIn, objectsIn, textIn } from '../json.ts';

/** Reads a line of `claude -p --output-format stream-json`. */
export function readClaudeLine(line: Json): AgentEvent[] {
  switch (line['type']) {
    case 'system':
      return system(line);
    case 'assistant':
      // The notice that it made up for an API error is no message; the result tells the error.
      if (line['is_api_error_message'] === true) return [];
      return objectsIn(objectIn(line, 'message'), 'content').flatMap(assistantBlock);
    case 'user':
      return objectsIn(objectIn(line, 'message'), 'content').flatMap((block) =>
        toolResult(block, line),
      );
    case 'result':
      return result(line);
    default:
      return [];
  }
}

function system(line: Json): AgentEvent[] {
  if (line['subtype'] === 'init') return [{ kind: 'session', id: textIn(line, 'session_id') }];
  if (line['subtype'] !== 'api_retry') return [];
  const status = numberIn(line, 'error_status');
  return [{ kind: 'note', code: 'retry', text: `${textIn(line, 'error')} (${status ?? 'none'})` }];
}

function assistantBlock(block: Json): AgentEvent[] {
  switch (block['type']) {
    case 'text':
      return [{ kind: 'message', text: textIn(block, 'text'), thinking: false }];
    case 'thinking':
      return [{ kind: 'message', text: textIn(block, 'thinking'), thinking: true }];
    case 'tool_use': {
      const target = targetIn(objectIn(block, 'input'));
      const [id, tool] = [textIn(block, 'id'), textIn(block, 'name')];
      return [{ kind: 'tool-call', id, tool, target }];
    }
    default:
      return [];
  }
}

function toolResult(block: Json, line: Json): AgentEvent[] {
  if (block['type'] !== 'tool_result') return [];
  const id = textIn(block, 'tool_use_id');
  const meta = objectsIn(line, 'tool_result_meta').find((one) => one['id'] === id) ?? {};
  const isRefused = objectIn(meta, 'permission_decision')['decision'] === 'reject';
  const outcome = isRefused ? 'refused' : block['is_error'] === true ? 'failed' : 'ok';
  const parts = objectsIn(block, 'content').map((part) => textIn(part, 'text'));
  return [{ kind: 'tool-result', id, outcome, text: textIn(block, 'content') || parts.join('\n') }];
}

/** `subtype` says "success" also when the model could not be reached: only `is_error` counts. */
function result(line: Json): AgentEvent[] {
  const usage = objectIn(line, 'usage');
  const read = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
  const spent: AgentEvent = {
    kind: 'usage',
    scope: 'total',
    tokens: {
      input: read.reduce((sum, key) => sum + countIn(usage, key), 0),
      output: countIn(usage, 'output_tokens'),
    },
    costUsd: numberIn(line, 'total_cost_usd'),
  };
  const refused = objectsIn(line, 'permission_denials').map(refusal);
  const isFailed = line['is_error'] === true || textIn(line, 'subtype').startsWith('error');
  const last: AgentEvent = isFailed
    ? problem(line)
    : { kind: 'note', code: 'turn-completed', text: '' };
  return [spent, ...refused, last];
}

/** A refused tool shows nowhere in the exit code, and in the result only here. */
const refusal = (denial: Json): AgentEvent => ({
  kind: 'tool-result',
  id: textIn(denial, 'tool_use_id'),
  outcome: 'refused',
  text: `${textIn(denial, 'tool_name')} ${targetIn(objectIn(denial, 'tool_input')) ?? ''}`.trim(),
});

function problem(line: Json): AgentEvent {
  const reason = textIn(line, 'terminal_reason');
  return {
    kind: 'error',
    code: reason === '' || reason === 'completed' ? textIn(line, 'subtype') : reason,
    message: textIn(line, 'result') || textIn(line, 'subtype'),
    status: numberIn(line, 'api_error_status'),
    fatal: true,
  };
}

const targetIn = (input: Json): string | null =>
  textIn(input, 'file_path') || textIn(input, 'command') || null;
