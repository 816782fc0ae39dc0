import { describe, expect, test } from 'vitest';
import {
  decidePull,
  evolvePull,
  mayBeOpen,
  mayMerge,
  type Pull,
  type PullCommand,
  type PullFacts,
} from './pull.ts';

const facts: PullFacts = {
  head: 'h1',
  mergeable: true,
  blocked: null,
  review: 'approved',
  reviewers: ['mona'],
  checks: { state: 'green', red: [] },
};
const NONE = { kind: 'none' } as const;

const said = (change: Partial<PullFacts>, policy: 'approved' | 'green' | 'never' = 'approved') => {
  const verdict = mayMerge(policy, 'h1', { ...facts, ...change }, NONE);
  return verdict.kind === 'ready'
    ? 'ready'
    : `${verdict.stuck ? 'stuck' : 'waits'}: ${verdict.why}`;
};

const after = (...commands: PullCommand[]): Pull | undefined => {
  let pull: Pull | undefined;
  for (const command of commands)
    for (const event of decidePull(pull, command)) pull = evolvePull(pull, event);
  return pull;
};
describe('whether a pull request may be merged', () => {
  test('approved and green is ready', () => expect(said({})).toBe('ready'));
  test('GT-160 without an approval it waits', () =>
    expect(said({ review: 'none' })).toBe('waits: it needs an approval'));
  test('green is enough where the repo says so', () =>
    expect(said({ review: 'none' }, 'green')).toBe('ready'));
  test('never is left to a person', () =>
    expect(said({}, 'never')).toBe('waits: a person is to merge it'));
  test('no checks at all are no obstacle', () =>
    expect(said({ checks: { state: 'none', red: [] } })).toBe('ready'));
  test.each([
    [{ checks: { state: 'pending', red: [] } }, 'waits: its checks run'],
    [{ checks: { state: 'red', red: ['build'] } }, 'waits: checks failed: build'],
    [{ review: 'changes_requested' }, 'waits: mona asked for changes'],
    [{ mergeable: null }, 'waits: the forge has not said yet whether it merges'],
    [
      { blocked: 'a required review or check is missing' },
      'waits: a required review or check is missing',
    ],
    [{ head: 'other' }, 'stuck: its branch was pushed to by somebody else (other)'],
  ] satisfies [Partial<PullFacts>, string][])('%o', (change, expected) => {
    expect(said(change)).toBe(expected);
    expect(said(change, 'green')).toBe(expected);
  });

  test('a yes in Convoy counts like one on the forge, a no outweighs both', () => {
    const open = { ...facts, review: 'none' } as const;
    expect(mayMerge('approved', 'h1', open, { kind: 'approved' }).kind).toBe('ready');
    const no = { kind: 'rejected', by: 'ada', reason: 'not now' } as const;
    expect(mayMerge('green', 'h1', facts, no)).toEqual({
      kind: 'waits',
      why: 'ada said no: not now',
      stuck: true,
    });
  });
});

describe('what is known of a pull request', () => {
  const propose = { type: 'propose', branch: 'b', head: 'h1', at: 1 } as const;
  const record = { type: 'record-proposal', number: 7, url: 'u', at: 2 } as const;
  const seen = {
    type: 'see-pull',
    state: 'open',
    by: null,
    waits: 'it needs an approval',
    stuck: false,
    at: 3,
  } as const;

  test('an intent is a pull request that may be open', () => {
    expect(after(propose)).toMatchObject({ state: 'intended', number: null });
    expect(mayBeOpen(after(propose))).toBe(true);
    expect(mayBeOpen(undefined)).toBe(false);
  });
  test('seeing the same again records nothing', () =>
    expect(decidePull(after(propose, record, seen), { ...seen, at: 9 })).toEqual([]));
  test('a new head of the same branch keeps the number, another branch does not', () => {
    expect(after(propose, record, { ...propose, head: 'h2' })).toMatchObject({
      number: 7,
      head: 'h2',
    });
    expect(after(propose, record, { ...propose, branch: 'c' })).toMatchObject({ number: null });
  });
  test('what has ended is not closed once more', () => {
    const close = { type: 'close-pull', reason: 'gone', at: 4 } as const;
    expect(after(propose, record, close)).toMatchObject({ closing: 'gone' });
    expect(decidePull(after(propose, record, { ...seen, state: 'merged' }), close)).toEqual([]);
  });
});
