import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openModel } from '../../src/adapters/model/open-model.ts';
import type { Conversation, ModelEvent, ModelTool } from '../../src/ports/model.ts';
import type { Reply } from '../fakes/model-server/protocol.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server/server.ts';
import { call, inTurn, KEY, LIMITS, modelAt, NAME, PROTOCOLS, say } from './rig.ts';

const echo = (text: string) => call({ name: 'echo', input: { text } });
const status = (code: number, retryAfter?: number): Reply => ({
  kind: 'status',
  status: code,
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

const SCENARIOS = {
  answers: inTurn(say('forty-two')),
  'uses-a-tool': inTurn(echo('one'), say('done')),
  'two-at-once': inTurn(
    call({ name: 'echo', input: { text: 'a' } }, { name: 'echo', input: { text: 'b' } }),
    say('done'),
  ),
  'twenty-at-once': inTurn(
    call(...Array.from({ length: 20 }, (_, n) => ({ name: 'echo', input: { text: `${n}` } }))),
    say('done'),
  ),
  'unknown-tool': inTurn(call({ name: 'rm_rf', input: {} }), say('sorry')),
  'bad-json': inTurn(call({ name: 'echo', raw: '{"text": ' }), echo('again'), say('done')),
  'for-ever': inTurn(echo('more')),
  refuses: inTurn({ kind: 'turn', text: 'No.', stop: 'refused' }),
  cut: inTurn({ kind: 'turn', text: 'half an ans', stop: 'cut' }),
  'busy-once': inTurn(status(429, 0), say('done')),
  'overloaded-once': inTurn(status(529), say('done')),
  'overloaded-inside': inTurn({ kind: 'turn', text: 'hal', ending: 'overloaded' }, say('whole')),
  dropped: inTurn({ kind: 'turn', text: 'hal', ending: 'drop' }, say('whole')),
  stalled: inTurn({ kind: 'turn', text: 'hal', ending: 'stall' }, say('whole')),
  'garbage-once': inTurn({ kind: 'garbage' }, say('whole')),
  busy: inTurn(status(429)),
  broken: inTurn(status(500)),
  'no-key': inTurn(status(401)),
  'no-model': inTurn(status(404)),
  'bad-request': inTurn(status(400)),
  hangs: inTurn({ kind: 'hang' }),
  dear: inTurn({ kind: 'turn', ...toolTurn(), tokens: { input: 90_000, output: 5000 } }),
  uncounted: inTurn({ kind: 'turn', ...toolTurn(), tokens: null }, say('done')),
} as const;

function toolTurn() {
  return { calls: [{ name: 'echo', input: { text: 'x' } }] };
}

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(SCENARIOS);
});
afterAll(() => server[Symbol.asyncDispose]());

const printed: unknown[][] = [];
beforeEach(() => {
  printed.length = 0;
  for (const name of ['log', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, name).mockImplementation((...words) => void printed.push(words));
  vi.spyOn(process, 'emitWarning').mockImplementation((...words) => void printed.push(words));
});
afterEach(() => {
  if (printed.length > 0) throw new Error(`something was printed: ${JSON.stringify(printed)}`);
});

let run = 0;
async function talk(
  scenario: keyof typeof SCENARIOS,
  more: Partial<Conversation> & { provider?: (typeof PROTOCOLS)[number]; silenceMs?: number } = {},
) {
  const { provider = 'anthropic', silenceMs = 5000, ...conversation } = more;
  const key = `${scenario}~${(run += 1)}`;
  const events: ModelEvent[] = [];
  const said: unknown[] = [];
  const tool: ModelTool = {
    name: 'echo',
    description: 'Says it again.',
    input: { type: 'object', properties: { text: { type: 'string' } } },
    run: async (input) => {
      said.push(input);
      return `echo ${JSON.stringify(input)}`;
    },
  };
  const ending = await modelAt(server.url, key, provider, { patience: { silenceMs } }).converse({
    instructions: 'You are a test.',
    question: 'What is it?',
    tools: [tool],
    limits: LIMITS,
    onEvent: (event) => events.push(event),
    ...conversation,
  });
  const asked = server.asked.filter((one) => one.scenario === key);
  return {
    ending,
    events,
    said,
    asked,
    bodies: server.bodies.filter((one) => one.scenario === key),
  };
}

test.each(PROTOCOLS)('%s: a plain answer, counted, with our key', async (provider) => {
  const { ending, asked, bodies } = await talk('answers', { provider });
  expect(ending).toMatchObject({ kind: 'answered', text: 'forty-two' });
  expect(ending.usage).toEqual({
    turns: 1,
    inputTokens: 100,
    outputTokens: 20,
    usd: expect.closeTo(0.002, 6),
  });
  expect(asked.map(({ key }) => key)).toEqual([KEY]);
  expect(bodies[0]?.body).toMatchObject({ model: NAME, stream: true });
});

test.each(PROTOCOLS)('%s: a tool is run and its answer sent back', async (provider) => {
  const { ending, said, events, bodies } = await talk('uses-a-tool', { provider });
  expect(ending).toMatchObject({ kind: 'answered', text: 'done' });
  expect(said).toEqual([{ text: 'one' }]);
  expect(JSON.stringify(bodies[1]?.body)).toContain('echo {');
  expect(events.map(({ type }) => type)).toEqual([
    'turn-started',
    'tool-called',
    'tool-answered',
    'turn-ended',
    'turn-started',
    'said',
    'turn-ended',
  ]);
});

test.each(PROTOCOLS)('%s: tools called together all get their answer', async (provider) => {
  const { ending, said } = await talk('two-at-once', { provider });
  expect(ending.kind).toBe('answered');
  expect(said).toEqual([{ text: 'a' }, { text: 'b' }]);
});

test('no more than eight calls of one turn are done', async () => {
  const { said, events } = await talk('twenty-at-once');
  expect(said).toHaveLength(8);
  expect(events.filter(({ type }) => type === 'tool-refused')).toHaveLength(12);
});

test.each(PROTOCOLS)('%s: an unknown tool is refused and the talk goes on', async (provider) => {
  const { ending, said, events } = await talk('unknown-tool', { provider });
  expect(ending).toMatchObject({ kind: 'answered', text: 'sorry' });
  expect(said).toEqual([]);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'tool-refused',
      tool: 'rm_rf',
      reason: 'there is no such tool',
    }),
  );
});

test.each(PROTOCOLS)('%s: arguments that are no JSON never reach the tool', async (provider) => {
  const { ending, said, events } = await talk('bad-json', { provider });
  expect(ending.kind).toBe('answered');
  expect(said).toEqual([{ text: 'again' }]);
  expect(events.some((event) => event.type === 'tool-refused' && event.tool === 'echo')).toBe(true);
});

test('an endless loop ends with the turns', async () => {
  const { ending, asked } = await talk('for-ever', { limits: { ...LIMITS, turns: 4 } });
  expect(ending).toMatchObject({ kind: 'limit', limit: 'turns' });
  expect(asked).toHaveLength(4);
});

test('the caller may have enough', async () => {
  let calls = 0;
  const { ending, asked } = await talk('for-ever', { isEnough: () => (calls += 1) >= 2 });
  expect(ending.kind).toBe('enough');
  expect(asked).toHaveLength(2);
});

test('near the end only the closing tool is offered, and no other is done', async () => {
  const done: string[] = [];
  const { asked, ending, bodies } = await talk('for-ever', {
    limits: { ...LIMITS, turns: 3 },
    tools: ['echo', 'close'].map((name) => ({
      name,
      description: name,
      input: { type: 'object' },
      run: async () => `${done.push(name)}`,
    })),
    closing: { tool: 'close', from: 3 },
  });
  expect(asked.map(({ tools }) => tools.toSorted())).toEqual([
    ['close', 'echo'],
    ['close', 'echo'],
    ['close'],
  ]);
  expect(done).toEqual(['echo', 'echo']);
  expect(bodies.map(({ body }) => body['tool_choice'])).toEqual([
    { type: 'auto' },
    { type: 'auto' },
    { type: 'tool', name: 'close' },
  ]);
  expect(ending).toMatchObject({ kind: 'limit', limit: 'turns' });
});

test('a reply is one more turn, and turns have an end', async () => {
  const replies: string[] = [];
  const reply = (text: string) => {
    replies.push(text);
    return 'Are you sure?';
  };
  const { ending, bodies } = await talk('answers', { limits: { ...LIMITS, turns: 3 }, reply });
  expect(ending).toMatchObject({ kind: 'limit', limit: 'turns' });
  expect(replies).toEqual(['forty-two', 'forty-two', 'forty-two']);
  expect(bodies).toHaveLength(3);
  expect(JSON.stringify(bodies[1]?.body)).toContain('Are you sure?');
});

test.each(PROTOCOLS)(
  '%s: a refusal and a cut answer are told apart from an answer',
  async (provider) => {
    expect((await talk('refuses', { provider })).ending).toMatchObject({
      kind: 'refused',
      text: 'No.',
    });
    expect((await talk('cut', { provider })).ending).toMatchObject({ kind: 'cut' });
  },
);

test.each([
  ['busy-once', 'busy'],
  ['overloaded-once', 'unavailable'],
  ['overloaded-inside', 'unavailable'],
  ['dropped', 'garbled'],
  ['garbage-once', 'garbled'],
] as const)(
  '%s: no answer is asked for again, and half of one is forgotten',
  async (scenario, kind) => {
    const { ending, events, asked } = await talk(scenario);
    expect(ending).toMatchObject({
      kind: 'answered',
      text: expect.stringMatching(/^(?:done|whole)$/),
    });
    expect(asked).toHaveLength(2);
    const retries = events.filter((event) => event.type === 'retrying');
    expect(retries.map(({ problem }) => problem.kind)).toEqual([kind]);
  },
);

test.each(['dropped', 'garbage-once', 'overloaded-once'] as const)(
  'openai-compatible: %s is asked for again',
  async (scenario) => {
    const { ending, asked } = await talk(scenario, { provider: 'openai-compatible' });
    expect(ending.kind).toBe('answered');
    expect(asked).toHaveLength(2);
  },
);

test('a model that falls silent in the middle is asked again', async () => {
  const { ending, events } = await talk('stalled', { silenceMs: 200 });
  expect(ending).toMatchObject({ kind: 'answered', text: 'whole' });
  expect(
    events.some((event) => event.type === 'retrying' && event.problem.kind === 'timeout'),
  ).toBe(true);
});

test.each([
  ['busy', 'busy', 429, 3],
  ['broken', 'unavailable', 500, 3],
  ['no-key', 'unauthorised', 401, 1],
  ['no-model', 'not-found', 404, 1],
  ['bad-request', 'rejected', 400, 1],
] as const)('%s ends as %s (%i) after %i tries', async (scenario, kind, code, tries) => {
  for (const provider of PROTOCOLS) {
    const { ending, asked } = await talk(scenario, { provider });
    expect(ending).toMatchObject({ kind: 'errored', problem: { kind, status: code } });
    expect(asked).toHaveLength(tries);
    expect(JSON.stringify(ending)).not.toContain(KEY);
    expect(JSON.stringify(ending)).not.toContain(NAME);
  }
});

test('silence is bounded by tries', async () => {
  const { ending, asked } = await talk('hangs', { silenceMs: 50 });
  expect(ending).toMatchObject({ kind: 'errored', problem: { kind: 'timeout' } });
  expect(asked).toHaveLength(3);
});

test('time is a limit whatever the model does', async () => {
  const { ending } = await talk('hangs', { limits: { ...LIMITS, ms: 150 } });
  expect(ending).toMatchObject({ kind: 'limit', limit: 'ms' });
});

test('the caller can stop it', async () => {
  const { ending } = await talk('hangs', { signal: AbortSignal.timeout(100) });
  expect(ending.kind).toBe('stopped');
});

test('a turn that could pass the tokens is not asked', async () => {
  const { ending, asked } = await talk('dear', { limits: { ...LIMITS, tokens: 100_000, usd: 99 } });
  expect(ending).toMatchObject({ kind: 'limit', limit: 'tokens' });
  expect(asked).toHaveLength(2);
  const first = await talk('dear', { limits: { ...LIMITS, tokens: 300 } });
  expect(first.asked).toEqual([]);
});

test('a turn that could pass the money is not asked', async () => {
  // 90,000 tokens in and 5,000 out of an unknown model are 1.15 dollars.
  const { ending, asked } = await talk('dear', { limits: { ...LIMITS, tokens: 9e6, usd: 1.16 } });
  expect(ending).toMatchObject({ kind: 'limit', limit: 'usd' });
  expect(asked).toHaveLength(1);
  expect(ending.usage.usd).toBeCloseTo(1.15, 6);
});

test('the model is told how long its answer may be', async () => {
  const { bodies } = await talk('answers', { limits: { ...LIMITS, tokens: 1000 } });
  const most = Number(bodies[0]?.body['max_tokens']);
  expect(most).toBeGreaterThanOrEqual(256);
  expect(most).toBeLessThan(1000);
});

test('a provider that does not count is counted for', async () => {
  const { ending } = await talk('uncounted', { provider: 'openai-compatible' });
  expect(ending.usage.inputTokens).toBeGreaterThan(100);
});

test('a fault in a tool or a listener is ours and is thrown', async () => {
  const fault = new Error('ours');
  const tools = [
    {
      name: 'echo',
      description: '',
      input: { type: 'object' },
      run: () => Promise.reject(fault),
    },
  ];
  await expect(talk('for-ever', { tools })).rejects.toBe(fault);
  const onEvent = () => {
    throw fault;
  };
  await expect(talk('for-ever', { onEvent })).rejects.toBe(fault);
});

test('what the library wants to warn about is not printed', async () => {
  const baseUrl = `${server.url}/s/uses-a-tool~warned`;
  const access = {
    anthropic: { apiKey: KEY, baseUrl },
    openai: { apiKey: null, baseUrl: null },
  };
  // The default model cannot be forced to use a tool; the library would say so, with its name.
  const ending = await openModel({ provider: 'anthropic', name: null }, access)?.converse({
    instructions: 'x',
    question: 'y',
    tools: [{ name: 'echo', description: '', input: { type: 'object' }, run: async () => '' }],
    limits: LIMITS,
    closing: { tool: 'echo', from: 1 },
  });
  expect(ending?.kind).toBe('answered');
});

test('nobody listens at the address', async () => {
  const model = modelAt('http://127.0.0.1:1', 'answers');
  const ending = await model.converse({
    instructions: 'x',
    question: 'y',
    tools: [],
    limits: LIMITS,
  });
  expect(ending).toMatchObject({ kind: 'errored', problem: { kind: 'unreachable' } });
});

test('without a key there is no model', () => {
  const nothing = { apiKey: null, baseUrl: null };
  const access = { anthropic: nothing, openai: nothing };
  expect(openModel({ provider: 'anthropic', name: null }, access)).toBeNull();
});

test('a redirect is not followed, so the key goes nowhere else', async () => {
  let leaked = false;
  const elsewhere = createServer((_, response) => {
    leaked = true;
    response.end();
  });
  const moved = createServer((_, response) => {
    const { port } = elsewhere.address() as AddressInfo;
    response.writeHead(307, { location: `http://127.0.0.1:${port}/v1/messages` }).end();
  });
  await Promise.all([elsewhere, moved].map((one) => once(one.listen(0, '127.0.0.1'), 'listening')));
  const { port } = moved.address() as AddressInfo;
  const ending = await modelAt(`http://127.0.0.1:${port}`, 'moved').converse({
    instructions: 'x',
    question: 'y',
    tools: [],
    limits: LIMITS,
  });
  for (const one of [elsewhere, moved]) one.close();
  expect(ending).toMatchObject({ kind: 'errored', problem: { kind: 'unreachable' } });
  expect(leaked).toBe(false);
});
