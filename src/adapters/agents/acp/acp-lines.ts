import type { AgentEvent } from '../../../ports/agent.ts';
import { countIn, isJson, type Json, numberIn, objectIn, objectsIn, textIn } from '../json.ts';
import type { LineReader } from '../output-parser.ts';

/** What must be remembered from line to line. */
type Memory = {
  readonly called: Set<string>;
  readonly answered: Set<string>;
  readonly refused: Set<string>;
  /** Tokens in the context, the most there were. */
  used: number;
  /** What the session had cost before it was continued. */
  costBefore: number;
  cost: number | null;
};

/** A reader of the runner's lines, from the first one. */
export function acpLines(): LineReader {
  const memory: Memory = {
    called: new Set(),
    answered: new Set(),
    refused: new Set(),
    used: 0,
    costBefore: 0,
    cost: null,
  };
  return (line) => readLine(memory, line);
}

function readLine(memory: Memory, line: Json): AgentEvent[] {
  switch (line['type']) {
    case 'session':
      memory.costBefore = countIn(line, 'costBefore');
      return textIn(line, 'id') === '' ? [] : [{ kind: 'session', id: textIn(line, 'id') }];
    case 'update':
      return readUpdate(memory, objectIn(line, 'update'));
    case 'permission':
      return readPermission(memory, line);
    case 'file-refused':
      return [
        {
          kind: 'tool-result',
          id: `file ${textIn(line, 'path')}`,
          outcome: 'refused',
          text: textIn(line, 'why'),
        },
      ];
    case 'text':
    case 'note':
      return [note(textIn(line, 'text'))];
    case 'error':
      return [
        {
          kind: 'error',
          code: textIn(line, 'code') || 'error',
          message: textIn(line, 'message'),
          status: numberIn(line, 'status'),
          fatal: line['fatal'] === true,
        },
      ];
    case 'end':
      return readEnd(memory, line);
    default:
      return [];
  }
}

function readUpdate(memory: Memory, update: Json): AgentEvent[] {
  switch (update['sessionUpdate']) {
    case 'agent_message_chunk':
    case 'agent_thought_chunk': {
      const text = textIn(objectIn(update, 'content'), 'text');
      const thinking = update['sessionUpdate'] === 'agent_thought_chunk';
      return text === '' ? [] : [{ kind: 'message', text, thinking }];
    }
    case 'tool_call':
    case 'tool_call_update':
      return readToolCall(memory, update);
    case 'plan':
      return [note(`plan: ${objectsIn(update, 'entries').map(planEntry).join('; ')}`)];
    case 'usage_update':
      return readUsage(memory, update);
    default:
      return [];
  }
}

const note = (text: string): AgentEvent => ({ kind: 'note', code: 'text', text });

const planEntry = (entry: Json): string =>
  `[${entry['status'] === 'completed' ? 'x' : ' '}] ${textIn(entry, 'content')}`;

function readToolCall(memory: Memory, update: Json): AgentEvent[] {
  const id = textIn(update, 'toolCallId');
  const events: AgentEvent[] = [];
  if (!memory.called.has(id)) {
    memory.called.add(id);
    events.push({ kind: 'tool-call', id, tool: toolOf(update), target: targetOf(update) });
  }
  const { status } = update;
  if ((status !== 'completed' && status !== 'failed') || memory.answered.has(id)) return events;
  memory.answered.add(id);
  const outcome = memory.refused.has(id) ? 'refused' : status === 'completed' ? 'ok' : 'failed';
  return [...events, { kind: 'tool-result', id, outcome, text: resultOf(update) }];
}

const toolOf = (call: Json): string =>
  textIn(call, 'name') || textIn(call, 'kind') || textIn(call, 'title') || 'tool';

function targetOf(call: Json): string | null {
  const [place] = objectsIn(call, 'locations');
  const command = objectIn(call, 'rawInput')['command'];
  const line = Array.isArray(command) ? command.join(' ') : command;
  return (
    (place === undefined ? '' : textIn(place, 'path')) ||
    (typeof line === 'string' ? line : '') ||
    textIn(call, 'title') ||
    null
  );
}

const resultOf = (call: Json): string =>
  objectsIn(call, 'content')
    .map((part) => textIn(objectIn(part, 'content'), 'text') || textIn(part, 'path'))
    .filter((text) => text !== '')
    .join('\n');

/** A question to a person is a call under way: waiting for its answer is not silence. */
function readPermission(memory: Memory, line: Json): AgentEvent[] {
  const call = textIn(line, 'call');
  const question = `permission ${call}`;
  const answer = textIn(line, 'answer');
  if (answer === 'asked')
    return [
      { kind: 'tool-call', id: question, tool: 'permission', target: textIn(line, 'summary') },
    ];
  const events: AgentEvent[] =
    line['asked'] === true
      ? [{ kind: 'tool-result', id: question, outcome: 'ok', text: answer }]
      : [];
  if (answer !== 'refused') return events;
  memory.refused.add(call);
  const text = `${textIn(line, 'summary')}: ${textIn(line, 'why')}`;
  return [...events, { kind: 'tool-result', id: call, outcome: 'refused', text }];
}

/** How full the context is and what the session has cost; the real sum comes at the end, if at all. */
function readUsage(memory: Memory, update: Json): AgentEvent[] {
  const cost = objectIn(update, 'cost');
  if (cost['currency'] === 'USD')
    memory.cost = Math.max(0, countIn(cost, 'amount') - memory.costBefore);
  memory.used = Math.max(memory.used, countIn(update, 'used'));
  return [spent(memory, { input: memory.used, output: 0 })];
}

const spent = (memory: Memory, tokens: { input: number; output: number }): AgentEvent => ({
  kind: 'usage',
  scope: 'total',
  tokens,
  costUsd: memory.cost,
});

function readEnd(memory: Memory, line: Json): AgentEvent[] {
  const tokens = tokensIn(line);
  const events: AgentEvent[] = tokens === null ? [] : [spent(memory, tokens)];
  return line['stopReason'] === 'end_turn'
    ? [...events, { kind: 'note', code: 'turn-completed', text: '' }]
    : events;
}

/** As the protocol has it, or as Gemini tells it meanwhile. */
function tokensIn(line: Json): { input: number; output: number } | null {
  const { usage } = line;
  if (isJson(usage))
    return {
      input:
        countIn(usage, 'inputTokens') +
        countIn(usage, 'cachedReadTokens') +
        countIn(usage, 'cachedWriteTokens'),
      output: countIn(usage, 'outputTokens') + countIn(usage, 'thoughtTokens'),
    };
  const count = objectIn(objectIn(line, 'meta'), 'quota')['token_count'];
  return isJson(count)
    ? { input: countIn(count, 'input_tokens'), output: countIn(count, 'output_tokens') }
    : null;
}
