import { expect, test } from 'vitest';
import type { Dependency } from '../work/dependency.ts';
import { taskId } from '../work/ids.ts';
import { checkEdge } from './edge-rules.ts';
import { givenGraph } from './given-tasks.ts';

const graph = givenGraph({
  root: { type: 'epic' },
  epic: { type: 'epic', parent: 'root' },
  a: { parent: 'epic' },
  b: { parent: 'epic', after: ['a'] },
  c: { after: ['b'] },
  other: { type: 'epic', after: ['epic'] },
  d: { parent: 'other' },
});

const check = (task: string, edge: Partial<Omit<Dependency, 'on'>> & { on: string }) =>
  checkEdge(graph, taskId(task), { kind: 'blocks', ...edge, on: taskId(edge.on) });

test('an edge that closes nothing is accepted', () => {
  expect(check('c', { on: 'a' })).toBeNull();
  expect(check('c', { on: 'a', level: 'submitted' })).toBeNull();
  expect(check('c', { on: 'epic', kind: 'waits-for', children: 'any' })).toBeNull();
  expect(check('a', { on: 'c', kind: 'my_word-2' })).toBeNull();
  expect(check('a', { on: 'epic', kind: 'related' })).toBeNull();
});

test.each([
  ['', { reason: 'kind-empty' }],
  ['x'.repeat(51), { reason: 'kind-too-long', kind: 'x'.repeat(51), longest: 50 }],
  ['Blocks', { reason: 'kind-malformed', kind: 'Blocks' }],
  ['so that', { reason: 'kind-malformed', kind: 'so that' }],
  ['parent-child', { reason: 'kind-is-hierarchy', kind: 'parent-child' }],
])('the kind %j is refused', (kind, refusal) => {
  expect(check('c', { on: 'a', kind })).toEqual(refusal);
});

test('a word of 50 characters is still a kind', () => {
  expect(check('c', { on: 'a', kind: 'x'.repeat(50) })).toBeNull();
});

test('only blocks has a level and only waits-for chooses children', () => {
  expect(check('c', { on: 'a', kind: 'merge-blocks', level: 'merged' })).toEqual({
    reason: 'level-not-allowed',
    kind: 'merge-blocks',
  });
  expect(check('c', { on: 'a', children: 'any' })).toEqual({
    reason: 'children-not-allowed',
    kind: 'blocks',
  });
});

test('a task cannot wait for itself, whatever the kind', () => {
  expect(check('a', { on: 'a' })).toEqual({ reason: 'self', id: 'a' });
  expect(check('a', { on: 'a', kind: 'related' })).toEqual({ reason: 'self', id: 'a' });
});

test('KG-30 both ends must exist', () => {
  expect(check('a', { on: 'gone' })).toEqual({ reason: 'missing', id: 'gone' });
  expect(check('gone', { on: 'a' })).toEqual({ reason: 'missing', id: 'gone' });
});

test('nobody blocks its own children or grandchildren, nor they it', () => {
  expect(check('a', { on: 'epic' })).toMatchObject({ reason: 'ancestor-blocks' });
  expect(check('a', { on: 'root', kind: 'waits-for' })).toEqual({
    reason: 'ancestor-blocks',
    ancestor: 'root',
    descendant: 'a',
  });
  expect(check('root', { on: 'a' })).toEqual({
    reason: 'descendant-blocks',
    ancestor: 'root',
    descendant: 'a',
  });
});

test('the same edge twice is refused, another kind between the same tasks is not', () => {
  expect(check('b', { on: 'a' })).toEqual({ reason: 'duplicate', on: 'a', kind: 'blocks' });
  expect(check('b', { on: 'a', kind: 'merge-blocks' })).toBeNull();
});

test('KG-25 a cycle is refused with the way round', () => {
  expect(check('a', { on: 'c' })).toEqual({ reason: 'cycle', path: ['a', 'c', 'b'] });
});

test('a cycle through inherited order is refused with the way round', () => {
  // d starts with other, other waits for epic, epic ends with a.
  expect(check('a', { on: 'd' })).toEqual({ reason: 'cycle', path: ['a', 'd', 'other', 'epic'] });
});
