import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AiItem, draftOf } from './ai-plan.ts';
import type { DraftNode } from './draft-plan.ts';

const item = (id: string, more: Partial<AiItem> = {}): AiItem => ({
  id,
  parent: null,
  title: `do ${id}`,
  type: 'task',
  priority: 2,
  labels: [],
  description: '',
  acceptance: [],
  after: [],
  ownBranch: false,
  estimateMinutes: null,
  line: 1,
  ...more,
});
const draft = (...items: AiItem[]) => draftOf({ title: 'Shop', description: 'Sells.', items });
const messages = (...items: AiItem[]) => draft(...items).problems.map(({ message }) => message);

test('a flat list becomes a tree with keys and edges', () => {
  const { root, edges, problems } = draft(
    item('api', { type: 'epic', ownBranch: true, line: 3 }),
    item('store', { parent: 'api', acceptance: ['it keeps things'], line: 4 }),
    item('route', { parent: 'api', after: ['store', 'store'], line: 5 }),
    item('page', { after: ['api'], priority: 0, estimateMinutes: 30, line: 9 }),
  );
  expect(problems).toEqual([]);
  expect(root).toMatchObject({ key: 'root', title: 'Shop', type: 'epic', description: 'Sells.' });
  expect(root.children).toMatchObject([
    {
      key: '1',
      type: 'epic',
      ownBranch: true,
      children: [
        { key: '1.1', title: 'do store', acceptance: [{ text: 'it keeps things', done: false }] },
        { key: '1.2', title: 'do route' },
      ],
    },
    { key: '2', priority: 0, estimateMinutes: 30, line: 9 },
  ]);
  expect(edges).toEqual([
    { from: '1.2', on: '1.1', line: 5 },
    { from: '2', on: '1', line: 9 },
  ]);
});

test('what has something under it is an epic', () => {
  const { root, problems } = draft(item('a'), item('b', { parent: 'a' }));
  expect(root.children[0]?.type).toBe('epic');
  expect(problems).toEqual([]);
});

test.each([
  ['an id twice', [item('a'), item('a')], 'the id a is given twice'],
  ['an unknown parent', [item('a', { parent: 'x' })], 'under x, which is not in the plan'],
  ['under itself', [item('a', { parent: 'a' })], '"do a" is under itself'],
  [
    'a circle of parents',
    [item('a', { parent: 'b' }), item('b', { parent: 'a' })],
    '"do a" is under itself',
  ],
  ['an unknown id to wait for', [item('a', { after: ['zz'] })], 'there is no "zz" in the plan'],
  ['a key in place of an id', [item('a'), item('b', { after: ['1'] })], 'there is no "1" in'],
  [
    'a circle',
    [item('a', { after: ['b'] }), item('b', { after: ['a'] })],
    'these wait for each other',
  ],
  ['nothing to do', [], 'there is nothing to do in it'],
] as const)('%s is a problem', (_, items, expected) => {
  expect(messages(...items)).toContainEqual(expect.stringContaining(expected));
});

test('whatever a model writes, every item is in the tree once', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const any = fc.record({ id, parent: fc.option(id), after: fc.array(id, { maxLength: 3 }) });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 8 }), (all) => {
      const { root } = draft(...all.map(({ id: own, ...more }) => item(own, more)));
      const titles = titlesIn(root).slice(1);
      expect(titles.toSorted()).toEqual([...new Set(all.map((one) => `do ${one.id}`))].toSorted());
    }),
  );
});

const titlesIn = ({ title, children }: DraftNode): string[] => [
  title,
  ...children.flatMap(titlesIn),
];
