import { expect, test } from 'vitest';
import { EMPTY_TRANSCRIPT, type Transcript } from '../ports/agent.ts';
import { refusedOutside } from './misdeeds.ts';

const refusals = (...texts: string[]): Transcript => ({
  ...EMPTY_TRANSCRIPT,
  refusals: texts.map((text, n) => ({ id: String(n), text })),
});

test('of what an agent was refused, only what lies outside its worktree is told', () => {
  const told = refusals('write to /etc/passwd: outside the worktree', 'curl: not allowed');
  expect(refusedOutside(told)).toEqual(['refused: write to /etc/passwd: outside the worktree']);
  expect(refusedOutside(null)).toEqual([]);
});

test('a few are named, and none at length', () => {
  const many = Array.from({ length: 20 }, (_, n) => `${n} outside the worktree ${'x'.repeat(900)}`);
  const told = refusedOutside(refusals(...many));
  expect(told).toHaveLength(5);
  expect(Math.max(...told.map(({ length }) => length))).toBeLessThan(520);
});
