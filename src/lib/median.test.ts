import { expect, test } from 'vitest';
import { medianOf } from './median.ts';

test('the median is the middle one', () => {
  expect([medianOf([]), medianOf([5]), medianOf([9, 1, 5]), medianOf([4, 2])]).toEqual([
    null,
    5,
    5,
    3,
  ]);
});
