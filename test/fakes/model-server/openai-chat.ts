import {
  isJson,
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
    hasToolResult: objects(body['messages']).some((message) => message['role'] === 'tool'),
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
                function: {
                  name: 'write',
                  arguments: JSON.stringify({ filePath: answer.path, content: answer.content }),
                },
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
};

const USAGE = {
  prompt_tokens: TOKENS.input,
  completion_tokens: TOKENS.output,
  total_tokens: TOKENS.input + TOKENS.output,
};
