import type { ServerResponse } from 'node:http';
import {
  type Answer,
  argumentsOf,
  type Json,
  type ModelTurn,
  objects,
  openStream,
  type Protocol,
  sendEvent,
  sendJson,
  text,
  TOKENS,
} from './protocol.ts';

/** Anthropic messages: `POST …/v1/messages`. */
export const anthropic: Protocol = {
  name: 'anthropic',
  matches: (path) => path.endsWith('/v1/messages'),
  read: (body) => ({
    tools: objects(body['tools']).map((tool) => text(tool['name'])),
    toolResults: objects(body['messages'])
      .flatMap((message) => objects(message['content']))
      .filter((block) => block['type'] === 'tool_result').length,
  }),
  answer(answer, body, id, response) {
    const block = blockOf(answer, id);
    const stop = block.type === 'tool_use' ? 'tool_use' : 'end_turn';
    const message = {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model: body['model'],
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: TOKENS.input, output_tokens: 1 },
    };
    if (body['stream'] !== true)
      return sendJson(response, {
        ...message,
        content: [block],
        stop_reason: stop,
        usage: { input_tokens: TOKENS.input, output_tokens: TOKENS.output },
      });
    openStream(response);
    sendEvent(response, { type: 'message_start', message });
    streamBlock(response, block);
    sendEvent(response, {
      type: 'message_delta',
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: TOKENS.output },
    });
    sendEvent(response, { type: 'message_stop' });
    return response.end();
  },
  turn(turn, body, id, response) {
    const tokens = turn.tokens ?? TOKENS;
    openStream(response);
    sendEvent(response, {
      type: 'message_start',
      message: {
        id: `msg_${id}`,
        type: 'message',
        role: 'assistant',
        model: body['model'],
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: tokens.input, output_tokens: 1 },
      },
    });
    streamTurn(response, turn, id);
    if (turn.ending === 'stall') return undefined;
    if (turn.ending === 'drop') return void response.socket?.end();
    if (turn.ending === 'overloaded') {
      sendEvent(response, { type: 'error', error: { type: 'overloaded_error', message: 'busy' } });
      return response.end();
    }
    sendEvent(response, {
      type: 'message_delta',
      delta: { stop_reason: stopReason(turn), stop_sequence: null },
      usage: { output_tokens: tokens.output },
    });
    sendEvent(response, { type: 'message_stop' });
    return response.end();
  },
};

const STOPS = { refused: 'refusal', cut: 'max_tokens' } as const;

function stopReason({ stop, calls = [] }: ModelTurn): string {
  if (stop !== undefined) return STOPS[stop];
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

function streamTurn(
  response: ServerResponse,
  { text: said = '', calls = [] }: ModelTurn,
  id: number,
) {
  let index = 0;
  const block = (start: Json, deltas: readonly Json[]): void => {
    sendEvent(response, { type: 'content_block_start', index, content_block: start });
    for (const delta of deltas) sendEvent(response, { type: 'content_block_delta', index, delta });
    sendEvent(response, { type: 'content_block_stop', index });
    index += 1;
  };
  if (said !== '')
    block(
      { type: 'text', text: '' },
      pieces(said).map((part) => ({ type: 'text_delta', text: part })),
    );
  for (const call of calls)
    block(
      { type: 'tool_use', id: `toolu_${id}_${index}`, name: call.name, input: {} },
      pieces(argumentsOf(call)).map((part) => ({ type: 'input_json_delta', partial_json: part })),
    );
}

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Json };

function blockOf(answer: Answer, id: number): Block {
  if (answer.kind === 'say') return { type: 'text', text: answer.text };
  const call = { type: 'tool_use', id: `toolu_${id}` } as const;
  return answer.kind === 'use'
    ? { ...call, name: answer.tool, input: answer.input }
    : { ...call, name: 'Write', input: { file_path: answer.path, content: answer.content } };
}

/** In pieces, as the real one does, so that readers must put them together. */
function streamBlock(response: ServerResponse, block: Block): void {
  const [empty, deltas] =
    block.type === 'text'
      ? [
          { ...block, text: '' },
          pieces(block.text).map((part) => ({ type: 'text_delta', text: part })),
        ]
      : [
          { ...block, input: {} },
          pieces(JSON.stringify(block.input)).map((part) => ({
            type: 'input_json_delta',
            partial_json: part,
          })),
        ];
  sendEvent(response, { type: 'content_block_start', index: 0, content_block: empty });
  for (const delta of deltas) sendEvent(response, { type: 'content_block_delta', index: 0, delta });
  sendEvent(response, { type: 'content_block_stop', index: 0 });
}

const pieces = (whole: string): string[] => whole.match(/.{1,40}/gsu) ?? [''];
