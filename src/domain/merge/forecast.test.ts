import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Moving, pairKey, pairsOf } from './forecast.ts';

const work = (task: string, head: string, base: string | null = 'base'): Moving => ({
  task,
  id: `at-${task}-${head}`,
  head,
  base,
});

test('every two tasks that have committed something are a pair, once', () => {
  const all = [work('a', '1'), work('b', '2'), work('c', 'base'), work('a', '3')];
  const pairs = pairsOf(all, new Set(['a', 'b', 'c']), 99);
  expect(pairs.map(({ a, b }) => `${a.head}${b.head}`)).toEqual(['12', '23']);
});

test('only pairs with a task that was asked about, and no more than allowed', () => {
  const all = Array.from({ length: 9 }, (_, n) => work(`t${n}`, `h${n}`));
  expect(pairsOf(all, new Set(['t8']), 99)).toHaveLength(8);
  expect(pairsOf(all, new Set(['t8']), 3)).toHaveLength(3);
  expect(pairsOf(all, new Set(), 99)).toEqual([]);
});

test('the key of a pair does not depend on its order', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (x, y) => {
      const [a, b] = [work('a', x), work('b', y)];
      expect(pairKey({ a, b })).toBe(pairKey({ a: b, b: a }));
    }),
  );
});
