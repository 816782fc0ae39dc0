import { expect, test } from 'vitest';
import { bound, randomShape, type Shape, SHAPES } from '../../bench/lib/shapes.ts';

const pace = { agentMs: 3000, gateMs: 200, parallel: 8, slots: 4 };
const shape = (name: string): Shape => SHAPES[name]?.() ?? [];

test('a chain is bound by its length: each task is worked on, then verified', () => {
  expect(bound(shape('chain'), pace)).toBe(6 * 3200);
  expect(bound(shape('diamond'), pace)).toBe(3 * 3200);
  expect(bound(shape('sub-epics'), pace)).toBe(3 * 3200);
});

test('independent tasks are bound by the places: agents in rounds, and one gate at the end', () => {
  expect(bound(shape('wide'), pace)).toBe(3200);
  expect(bound(shape('wide'), { ...pace, parallel: 4 })).toBe(2 * 3000 + 200);
  expect(bound(shape('wide'), { ...pace, parallel: 3 })).toBe(3 * 3000 + 200);
});

test('two hundred random tasks are the same ones every time, and never wait for later ones', () => {
  const random = shape('random');
  expect(random).toHaveLength(200);
  expect(random).toEqual(randomShape(200, 11));
  for (const [n, { after }] of random.entries())
    for (const other of after) expect(other).toBeLessThan(n);
  expect(bound(random, pace)).toBeGreaterThanOrEqual(25 * 3000 + 200);
});

test('nothing to do takes no time', () => {
  expect(bound([], pace)).toBe(0);
});
