import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readChoice } from './coordinator-choice.ts';

const READY = ['web-a', 'web-b'];
const read = (said: unknown): ReturnType<typeof readChoice> =>
  readChoice(typeof said === 'string' ? said : JSON.stringify(said), READY);

test('an order of ready tasks and children of them are taken as they are', () => {
  const propose = [{ parent: 'web-a', title: ' Docs ', description: 'for a' }];
  expect(read({ order: ['web-b', 'web-a'], propose })).toEqual({
    ok: true,
    value: {
      order: ['web-b', 'web-a'],
      proposals: [{ parent: 'web-a', title: 'Docs', description: 'for a' }],
    },
  });
  expect(read({})).toEqual({ ok: true, value: { order: [], proposals: [] } });
});

test.each([
  ['no JSON', 'web-a', 'is not JSON'],
  ['a list', ['web-a'], 'not an object'],
  ['a task that is not ready', { order: ['web-c'] }, 'web-c is not among the ready tasks'],
  ['a task twice', { order: ['web-a', 'web-a'] }, 'names a task twice'],
  ['numbers', { order: [1] }, 'not a list of ids'],
  ['a child of nobody', { propose: [{ title: 'x' }] }, 'no parent'],
  ['a child without a title', { propose: [{ parent: 'web-a', title: ' ' }] }, 'no proper title'],
  [
    'too many',
    { propose: Array.from({ length: 11 }, () => ({ parent: 'web-a', title: 'x' })) },
    'more than 10',
  ],
])('%s is refused, and it says why', (_, said, why) => {
  const answer = read(said);
  expect(answer.ok ? '' : answer.error).toContain(why);
});

test('whatever it says, only ready tasks are named and nothing is thrown', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      const answer = readChoice(text, READY);
      const { order, proposals } = answer.ok ? answer.value : { order: [], proposals: [] };
      return [...order, ...proposals.map(({ parent }) => parent)].every((id) => READY.includes(id));
    }),
  );
  expect(readChoice('', READY).ok).toBe(false);
});
