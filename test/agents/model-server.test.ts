import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/server.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const ADDRESSES = {
  anthropic: '/v1/messages?beta=true',
  'openai-responses': '/v1/responses',
  'openai-chat': '/v1/chat/completions',
  gemini: '/v1beta/models/m:streamGenerateContent?alt=sse',
} as const;
type Name = keyof typeof ADDRESSES;

const TOOLS: Record<Name, object> = {
  anthropic: { tools: [{ name: 'Write' }] },
  'openai-responses': { tools: [{ type: 'function', name: 'exec_command' }] },
  'openai-chat': { tools: [{ type: 'function', function: { name: 'write' } }] },
  gemini: { tools: [{ functionDeclarations: [{ name: 'write_file' }] }] },
};
const RESULTS: Record<Name, object> = {
  anthropic: { messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] },
  'openai-responses': { input: [{ type: 'function_call_output' }] },
  'openai-chat': { messages: [{ role: 'tool' }] },
  gemini: { contents: [{ parts: [{ functionResponse: {} }] }] },
};
const NAMES = Object.keys(ADDRESSES) as Name[];

const ask = (name: Name, scenario: string, body: object, init: RequestInit = {}) =>
  fetch(`${server.url}/s/${scenario}${ADDRESSES[name]}`, {
    method: 'POST',
    body: JSON.stringify({ stream: true, ...body }),
    ...init,
  });

test.each(NAMES)('%s: offered a tool it writes, given the result it is through', async (name) => {
  const first = await (await ask(name, 'normal', TOOLS[name])).text();
  expect(first).toMatch(/"name":"(?:Write|exec_command|write|write_file)"/);
  expect(first).not.toContain('Done');
  const second = await (await ask(name, 'normal', { ...TOOLS[name], ...RESULTS[name] })).text();
  expect(second).toContain('Done');
  expect(second).toMatch(/data: /);
});

test.each(NAMES)('%s: busy twice, then it works; other runs count for themselves', async (name) => {
  const statuses: number[] = [];
  for (let n = 0; n < 3; n += 1)
    statuses.push((await ask(name, `busy-twice~${name}`, TOOLS[name])).status);
  expect(statuses).toEqual([429, 429, 200]);
  const other = await ask(name, `busy-twice~${name}-other`, TOOLS[name]);
  expect(other.status).toBe(429);
  expect(other.headers.get('retry-after')).toBe('1');
});

test.each([
  ['no-key', 401],
  ['broken', 500],
  ['busy-for-ever', 429],
])('%s answers %i', async (scenario, status) => {
  expect((await ask('anthropic', scenario, {})).status).toBe(status);
});

test('a hanging model never answers', async () => {
  const waiting = ask('gemini', 'hang', {}, { signal: AbortSignal.timeout(200) });
  await expect(waiting).rejects.toThrow(/aborted/);
});

test('garbage is no JSON', async () => {
  const body = await (await ask('anthropic', 'garbage', {})).text();
  const datas = [...body.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? '');
  expect(datas).not.toEqual([]);
  for (const data of datas) expect(() => JSON.parse(data)).toThrow(SyntaxError);
});

test('it remembers what it was asked, and with which key', async () => {
  await ask('openai-chat', 'refusal~seen', TOOLS['openai-chat'], {
    headers: { authorization: 'Bearer k-1' },
  });
  expect(server.asked.filter(({ scenario }) => scenario === 'refusal~seen')).toEqual([
    {
      scenario: 'refusal~seen',
      protocol: 'openai-chat',
      request: 1,
      tools: ['write'],
      hasToolResult: false,
      toolResults: 0,
      workplace: '.',
      key: 'k-1',
    },
  ]);
});

test('an unknown scenario or address is not found', async () => {
  expect((await ask('anthropic', 'no-such', {})).status).toBe(404);
  expect((await fetch(`${server.url}/s/normal/elsewhere`)).status).toBe(404);
});
