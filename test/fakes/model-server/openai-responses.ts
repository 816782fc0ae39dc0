import {
  type Answer,
  type Json,
  objects,
  openStream,
  type Protocol,
  sendEvent,
  sendJson,
  text,
  TOKENS,
} from './protocol.ts';

/** OpenAI responses: `POST …/responses`. */
export const openaiResponses: Protocol = {
  name: 'openai-responses',
  matches: (path) => path.endsWith('/responses'),
  read: (body) => ({
    tools: objects(body['tools']).flatMap(namesOf),
    toolResults: objects(body['input']).filter((item) => text(item['type']).endsWith('_output'))
      .length,
  }),
  answer(answer, body, id, response) {
    const item = itemOf(answer, body, id);
    const made = {
      id: `resp_${id}`,
      object: 'response',
      created_at: 0,
      model: body['model'],
      status: 'in_progress',
      output: [],
      usage: null,
    };
    const done = { ...made, status: 'completed', output: [item], usage: USAGE };
    if (body['stream'] !== true) return sendJson(response, done);
    openStream(response);
    sendEvent(response, { type: 'response.created', response: made });
    sendEvent(response, { type: 'response.output_item.added', output_index: 0, item });
    if (answer.kind === 'say')
      sendEvent(response, {
        type: 'response.output_text.delta',
        item_id: item['id'],
        output_index: 0,
        content_index: 0,
        delta: answer.text,
      });
    sendEvent(response, { type: 'response.output_item.done', output_index: 0, item });
    sendEvent(response, { type: 'response.completed', response: done });
    return response.end();
  },
};

/** Tools of one server may come together, under its name. */
const namesOf = (tool: Json): string[] => {
  const name = text(tool['name']) || text(tool['type']);
  return tool['type'] === 'namespace'
    ? objects(tool['tools']).map((each) => `${name}${SPACE}${text(each['name'])}`)
    : [name];
};
const SPACE = '/';

const USAGE = {
  input_tokens: TOKENS.input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: TOKENS.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: TOKENS.input + TOKENS.output,
};

/** Which tool writes a file depends on what the client offered. */
function itemOf(answer: Answer, body: Json, id: number): Json {
  if (answer.kind === 'say')
    return {
      type: 'message',
      id: `msg_${id}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: answer.text, annotations: [] }],
    };
  const call = { call_id: `call_${id}`, status: 'completed' };
  if (answer.kind === 'use') {
    const [name = '', namespace] = answer.tool.split(SPACE).toReversed();
    return {
      type: 'function_call',
      id: `fc_${id}`,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      arguments: JSON.stringify(answer.input),
      ...call,
    };
  }
  const offered = new Map(objects(body['tools']).map((tool) => [text(tool['name']), tool]));
  if (offered.get('apply_patch')?.['type'] === 'custom')
    return {
      type: 'custom_tool_call',
      id: `ctc_${id}`,
      name: 'apply_patch',
      input: patchOf(answer),
      ...call,
    };
  const command = `cat > '${answer.path}' <<'CONVOY_END'\n${answer.content}CONVOY_END\n`;
  const forms: Record<string, Json> = {
    exec_command: { cmd: command },
    shell_command: { command },
    shell: { command: ['bash', '-c', command] },
  };
  const name = Object.keys(forms).find((tool) => offered.has(tool)) ?? 'shell';
  return {
    type: 'function_call',
    id: `fc_${id}`,
    name,
    arguments: JSON.stringify(forms[name]),
    ...call,
  };
}

const patchOf = ({ path, content }: Extract<Answer, { kind: 'write' }>): string =>
  [
    '*** Begin Patch',
    `*** Add File: ${path}`,
    ...content
      .trimEnd()
      .split('\n')
      .map((line) => `+${line}`),
    '*** End Patch',
    '',
  ].join('\n');
