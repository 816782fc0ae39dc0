import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeId } from '../work/ids.ts';
import { expectedRedShare, groupSize, prefixes, splitSize, spread } from './groups.ts';

test.each([
  // 0.9ⁿ is nearest to 0.55 for n = 6 (0.531), 0.8ⁿ for n = 3 (0.512).
  [0.1, 6],
  [0.2, 3],
  [0.5, 1],
  [1, 1],
  // A perfect record still keeps a group to the size for one in fifty.
  [0, 30],
])('with a share of %d red, groups of %i', (share, size) => {
  expect(groupSize(share)).toBe(size);
});

test('a red group is cut inside, near the middle when reds are rare', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 40 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (size, share) => {
        const cut = splitSize(size, share);
        expect(cut).toBeGreaterThanOrEqual(1);
        expect(cut).toBeLessThanOrEqual(size / 2);
      },
    ),
  );
  expect(splitSize(8, 0.02)).toBe(4);
});

test('the expected share starts at a tenth and follows what was settled', () => {
  expect(expectedRedShare({ merged: 0, red: 0 })).toBe(0.1);
  expect(expectedRedShare({ merged: 60, red: 30 })).toBe(0.31);
});

test('spreading keeps every change once and uses every slot it can', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(6), { minLength: 1 }),
      fc.integer({ min: 1, max: 8 }),
      (sizes, slots) => {
        const units = sizes.map((size, n) =>
          Array.from({ length: size + 1 }, (_, k) => changeId(`${n}.${k}`)),
        );
        const cut = spread(units, slots);
        expect(cut.flat().toSorted()).toEqual(units.flat().toSorted());
        const most = Math.max(units.length, Math.min(slots, units.flat().length));
        expect(cut).toHaveLength(most);
      },
    ),
  );
});

test('the beginnings of a list cut it into equal parts, longest first', () => {
  const eight = Array.from('abcdefgh', changeId);
  const told = (most: number): string[] => prefixes(eight, most).map((ids) => ids.join(''));
  expect(told(1)).toEqual(['abcd']);
  expect(told(3)).toEqual(['abcdef', 'abcd', 'ab']);
  expect(told(20)).toHaveLength(7);
  expect(prefixes(eight.slice(0, 1), 4)).toEqual([]);
});
