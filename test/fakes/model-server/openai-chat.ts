import {
  type Answer,
  argumentsOf,
  isJson,
  type Json,
  type ModelTurn,
  objects,
  openStream,
  type Protocol,
  sendData,
  sendJson,
  text,
  TOKENS,
} from './protocol.ts';

/** OpenAI chat completions: `POST …/chat/completions`. */
export const openaiChat: Protocol = {
  name: 'openai-chat',
  matches: (path) => path.endsWith('/chat/completions'),
  read: (body) => ({
    tools: objects(body['tools']).map((tool) =>
      isJson(tool['function']) ? text(tool['function']['name']) : '',
    ),
    toolResults: objects(body['messages']).filter((message) => message['role'] === 'tool').length,
  }),
  answer(answer, body, id, response) {
    const message =
      answer.kind === 'say'
        ? { role: 'assistant', content: answer.text }
        : {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                index: 0,
                id: `call_${id}`,
                type: 'function',
                function: callOf(answer),
              },
            ],
          };
    const finish = answer.kind === 'say' ? 'stop' : 'tool_calls';
    const made = { id: `cc_${id}`, created: 0, model: body['model'] };
    if (body['stream'] !== true)
      return sendJson(response, {
        ...made,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: finish }],
        usage: USAGE,
      });
    const part = { ...made, object: 'chat.completion.chunk' };
    openStream(response);
    sendData(response, { ...part, choices: [{ index: 0, delta: message, finish_reason: null }] });
    sendData(response, {
      ...part,
      choices: [{ index: 0, delta: {}, finish_reason: finish }],
      usage: USAGE,
    });
    sendData(response, '[DONE]');
    return response.end();
  },
  turn(turn, body, id, response) {
    const part = {
      id: `cc_${id}`,
      created: 0,
      model: body['model'],
      object: 'chat.completion.chunk',
    };
    const send = (delta: Json, finish: string | null = null, more: Json = {}): void =>
      sendData(response, {
        ...part,
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...more,
      });
    openStream(response);
    send({ role: 'assistant', content: turn.text ?? null });
    for (const [index, call] of (turn.calls ?? []).entries())
      send({
        tool_calls: [
          {
            index,
            id: `call_${id}_${index}`,
            type: 'function',
            function: { name: call.name, arguments: argumentsOf(call) },
          },
        ],
      });
    if (turn.ending === 'stall') return undefined;
    if (turn.ending === 'drop') return void response.socket?.end();
    if (turn.ending === 'overloaded') {
      sendData(response, { error: { type: 'overloaded_error', code: 529, message: 'busy' } });
      return response.end();
    }
    send({}, finishOf(turn), turn.tokens === null ? {} : { usage: usageOf(turn.tokens ?? TOKENS) });
    sendData(response, '[DONE]');
    return response.end();
  },
};

const callOf = (answer: Exclude<Answer, { kind: 'say' }>): Json =>
  answer.kind === 'use'
    ? { name: answer.tool, arguments: JSON.stringify(answer.input) }
    : {
        name: 'write',
        arguments: JSON.stringify({ filePath: answer.path, content: answer.content }),
      };

const FINISHES = { refused: 'content_filter', cut: 'length' } as const;

function finishOf({ stop, calls = [] }: ModelTurn): string {
  if (stop !== undefined) return FINISHES[stop];
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

const usageOf = ({ input, output }: { input: number; output: number }): Json => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});

const USAGE = usageOf(TOKENS);
