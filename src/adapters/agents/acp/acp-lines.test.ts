import { expect, test } from 'vitest';
import { outputParser } from '../output-parser.ts';
import { acpLines } from './acp-lines.ts';

function read(...lines: object[]) {
  const parser = outputParser(acpLines());
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  return { events: parser.push(new TextEncoder().encode(`${text}\n`)), parser };
}

const update = (sessionUpdate: string, more: object) => ({
  type: 'update',
  update: { sessionUpdate, ...more },
});
const call = (toolCallId: string, status: string, more: object = {}) =>
  update('tool_call_update', { toolCallId, status, ...more });

test('a call is counted once, however often it is told, and ends once', () => {
  const { parser } = read(
    update('tool_call', { toolCallId: 'a', title: 'Edit', kind: 'edit', status: 'pending' }),
    call('a', 'in_progress'),
    call('a', 'completed'),
    call('a', 'completed'),
    call('never told before', 'failed'),
    call('b', 'in_progress'),
  );
  expect(parser.transcript()).toMatchObject({
    toolCalls: 3,
    toolResults: { ok: 1, failed: 1, refused: 0 },
    openCalls: ['b'],
  });
});

test('a refused call is refused, also where the agent calls it failed or completed', () => {
  const { parser } = read(
    call('a', 'pending'),
    { type: 'permission', call: 'a', answer: 'refused', why: 'outside', summary: 'Edit x' },
    call('a', 'completed'),
  );
  expect(parser.transcript()).toMatchObject({
    toolResults: { ok: 0, failed: 0, refused: 1 },
    refusals: [{ id: 'a', text: 'Edit x: outside' }],
    openCalls: [],
  });
});

test('while a person is asked, a call is open', () => {
  const asked = { type: 'permission', call: 'a', answer: 'asked', summary: 'Edit x' };
  expect(read(asked).parser.transcript().openCalls).toEqual(['permission a']);
  const { parser } = read(asked, { ...asked, asked: true, answer: 'allowed' });
  expect(parser.transcript().openCalls).toEqual([]);
});

const shown = (more: object) => read(call('a', 'pending', more)).events[0];

test('what is shown of a call: the place, else the command, else the title', () => {
  expect(shown({ kind: 'edit', locations: [{ path: '/w/a' }], title: 'T' })).toMatchObject({
    tool: 'edit',
    target: '/w/a',
  });
  expect(shown({ name: 'bash', rawInput: { command: ['ls', '-l'] } })).toMatchObject({
    tool: 'bash',
    target: 'ls -l',
  });
  expect(shown({ title: 'T' })).toMatchObject({ tool: 'T', target: 'T' });
});

test('the end counts the tokens, in the words of the protocol or of Gemini', () => {
  const usage = { inputTokens: 10, cachedReadTokens: 5, outputTokens: 3, thoughtTokens: 2 };
  const end = { type: 'end', stopReason: 'end_turn' };
  const used = update('usage_update', { used: 99, cost: { amount: 2, currency: 'USD' } });
  expect(read(used, { ...end, usage }).parser.transcript()).toMatchObject({
    tokens: { input: 15, output: 5 },
    costUsd: 2,
    completed: true,
  });
  const meta = { quota: { token_count: { input_tokens: 7, output_tokens: 1 } } };
  expect(read({ ...end, meta }).parser.transcript().tokens).toEqual({ input: 7, output: 1 });
  expect(read({ type: 'end', stopReason: 'refusal' }).parser.transcript().completed).toBe(false);
});

const cost = (amount: number, currency: string) =>
  update('usage_update', { used: 1, cost: { amount, currency } });

test('another currency is not taken for dollars, and a continued session costs only what is new', () => {
  expect(read(cost(5, 'EUR')).parser.transcript().costUsd).toBeNull();
  const session = { type: 'session', id: 's', costBefore: 3 };
  expect(read(session, cost(5, 'USD')).parser.transcript().costUsd).toBe(2);
});
