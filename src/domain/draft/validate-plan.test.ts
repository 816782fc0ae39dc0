import { expect, test } from 'vitest';
import type { DraftNode } from './draft-plan.ts';
import { validatePlan } from './validate-plan.ts';

const node = (key: string, more: Partial<DraftNode> = {}): DraftNode => ({
  key,
  line: 1,
  title: key,
  type: more.children ? 'epic' : 'task',
  priority: 2,
  labels: [],
  description: '',
  acceptance: [],
  ownBranch: false,
  repo: null,
  agent: null,
  estimateMinutes: null,
  children: [],
  ...more,
});
const problems = (children: DraftNode[], edges: [string, string][] = []) =>
  validatePlan({
    root: node('root', { children }),
    edges: edges.map(([from, on]) => ({ from, on, line: 7 })),
  }).map(({ message }) => message);

test('a sound plan has no problems', () => {
  expect(problems([node('a'), node('e', { children: [node('b')] })], [['e', 'a']])).toEqual([]);
});

test.each([
  [
    'an unknown key',
    [node('store')],
    [['store', 'stor']],
    'there is no stor in the plan; did you mean store?',
  ],
  ['a key twice', [node('a'), node('a')], [], 'the key a is given twice'],
  [
    'tasks under a task',
    [node('a', { type: 'task', children: [node('b')] })],
    [],
    '"a" has tasks under it but is no epic',
  ],
  [
    'a branch of a task',
    [node('a', { ownBranch: true })],
    [],
    '"a" is no epic and cannot have its own branch',
  ],
  ['an empty title', [node('a', { title: ' ' })], [], 'a title is empty'],
  [
    'an empty criterion',
    [node('a', { acceptance: [{ text: '', done: false }] })],
    [],
    'a criterion of "a" is empty or has more than 2000 characters',
  ],
  [
    'too many levels',
    [node('a', { children: [node('b', { children: [node('c', { children: [node('d')] })] })] })],
    [],
    '"d" is nested deeper than 3 levels',
  ],
  [
    'a cycle that an epic hands down',
    [node('e', { children: [node('a')] }), node('f', { children: [node('b')] })],
    [
      ['e', 'f'],
      ['b', 'a'],
    ],
    'these wait for each other: "b" (line 1) → "a" (line 1) → "e" (line 1) → "f" (line 1) → "b" (line 1)',
  ],
] as [string, DraftNode[], [string, string][], string][])(
  '%s',
  (_what, children, edges, message) => {
    const found = problems(children, edges);
    expect(found).toHaveLength(1);
    expect(sameRound(found[0]!)).toBe(sameRound(message));
  },
);

/** A way round is the same wherever it begins. */
const sameRound = (message: string): string =>
  message.startsWith('these wait')
    ? [...new Set(message.match(/"\w"/g))].toSorted().join()
    : message;
