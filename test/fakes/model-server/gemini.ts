import {
  type Answer,
  isJson,
  type Json,
  objects,
  openStream,
  type Protocol,
  sendData,
  sendJson,
  text,
  TOKENS,
} from './protocol.ts';

/** Gemini: `POST …/models/<model>:streamGenerateContent` and its whole-answer sister. */
export const gemini: Protocol = {
  name: 'gemini',
  matches: (path) => /:(?:stream)?generateContent$/i.test(path),
  read: (body) => ({
    tools: objects(body['tools'])
      .flatMap((tool) => objects(tool['functionDeclarations']))
      .map((tool) => text(tool['name'])),
    toolResults: objects(body['contents'])
      .flatMap((content) => objects(content['parts']))
      .filter((part) => part['functionResponse'] !== undefined).length,
  }),
  answer(answer, body, _id, response) {
    const part =
      answer.kind === 'say'
        ? { text: asksForJson(body) ? ROUTING : answer.text }
        : { functionCall: callOf(answer) };
    const data = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: TOKENS.input,
        candidatesTokenCount: TOKENS.output,
        totalTokenCount: TOKENS.input + TOKENS.output,
      },
      modelVersion: 'fake',
    };
    if (!response.req.url?.includes(':streamGenerateContent')) return sendJson(response, data);
    openStream(response);
    sendData(response, data);
    return response.end();
  },
};

const callOf = (answer: Exclude<Answer, { kind: 'say' }>): Json =>
  answer.kind === 'use'
    ? { name: answer.tool, args: answer.input }
    : { name: 'write_file', args: { file_path: answer.path, content: answer.content } };

/** The client asks small questions of its own beside the task; one answer suits them all. */
const ROUTING = JSON.stringify({
  reasoning: 'x',
  next_speaker: 'user',
  model_choice: 'flash',
  complexity_score: 10,
  complexity_reasoning: 'x',
});

const asksForJson = (body: { readonly generationConfig?: unknown }): boolean =>
  isJson(body.generationConfig) && body.generationConfig['responseMimeType'] === 'application/json';
