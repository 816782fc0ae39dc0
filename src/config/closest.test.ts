import { expect, test } from 'vitest';
import { closest } from './closest.ts';

const KEYS = ['max_parallel', 'dispatch', 'attempts', 'notify'];

test.each([
  ['max_paralel', 'max_parallel'],
  ['maxParallel', 'max_parallel'],
  ['max-parallel', 'max_parallel'],
  ['attempst', 'attempts'],
  ['Notify', 'notify'],
])('%s is taken for %s', (word, meant) => expect(closest(word, KEYS)).toBe(meant));

test.each(['colour', 'x', 'parallel'])('%s is like none of them', (word) =>
  expect(closest(word, KEYS)).toBeNull(),
);

test('the nearest of several wins', () =>
  expect(closest('gate', ['gates', 'gale', 'gate'])).toBe('gate'));
