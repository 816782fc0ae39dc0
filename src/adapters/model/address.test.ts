import { expect, test } from 'vitest';
import { addressOf } from './address.ts';

const NOTHING = { apiKey: null, baseUrl: null };
const ANTHROPIC = { provider: 'anthropic', name: null } as const;
const OPENAI = { provider: 'openai-compatible', name: null } as const;

test('without a key there is no address; a server of one’s own needs none', () => {
  const own = { apiKey: null, baseUrl: 'http://127.0.0.1:11434/v1/' };
  expect(addressOf(ANTHROPIC, { anthropic: own, openai: own })).toBeNull();
  expect(addressOf(OPENAI, { anthropic: NOTHING, openai: NOTHING })).toBeNull();
  expect(addressOf(OPENAI, { anthropic: NOTHING, openai: own })).toMatchObject({
    baseURL: 'http://127.0.0.1:11434/v1',
    apiKey: null,
  });
});

test('a key of the other provider does not count', () => {
  const key = { apiKey: 'k', baseUrl: null };
  expect(addressOf(ANTHROPIC, { anthropic: NOTHING, openai: key })).toBeNull();
  expect(addressOf(OPENAI, { anthropic: key, openai: NOTHING })).toBeNull();
});

test.each([
  [null, 'https://api.anthropic.com/v1'],
  ['http://localhost:1', 'http://localhost:1/v1'],
  ['http://localhost:1/', 'http://localhost:1/v1'],
  ['http://localhost:1/v1', 'http://localhost:1/v1'],
])('the base %s is asked at %s', (baseUrl, expected) => {
  const access = { anthropic: { apiKey: 'k', baseUrl }, openai: NOTHING };
  expect(addressOf(ANTHROPIC, access)?.baseURL).toBe(expected);
});

test('a name is only chosen where none is set', () => {
  const access = { anthropic: { apiKey: 'k', baseUrl: null }, openai: NOTHING };
  expect(addressOf(ANTHROPIC, access)?.name).toMatch(/^claude-/);
  expect(addressOf({ ...ANTHROPIC, name: 'mine' }, access)?.name).toBe('mine');
});
