import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { durationMs } from './duration.ts';

test.each([
  ['30m', 1_800_000],
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['500ms', 500],
  ['1h2m3s4ms', 3_723_004],
  ['0s', 0],
  [90, 90_000],
  [0.5, 500],
])('%j is %d ms', (written, ms) => expect(durationMs(written)).toBe(ms));

test.each([
  '',
  '10',
  'm',
  '10 m',
  '-5s',
  '1.5h',
  '30m1h',
  '5d',
  '10M',
  '1s1s',
  -1,
  9e99,
  NaN,
  Infinity,
])('%j is no duration', (written) => expect(durationMs(written)).toBeNull());

test('the parts of a written duration add up', () => {
  const part = fc.option(fc.nat(9_999), { nil: undefined });
  fc.assert(
    fc.property(part, part, part, part, (h, m, s, ms) => {
      const text = [
        [h, 'h'],
        [m, 'm'],
        [s, 's'],
        [ms, 'ms'],
      ]
        .filter(([amount]) => amount !== undefined)
        .map((pair) => pair.join(''))
        .join('');
      const total = (h ?? 0) * 3_600_000 + (m ?? 0) * 60_000 + (s ?? 0) * 1_000 + (ms ?? 0);
      expect(durationMs(text)).toBe(text === '' ? null : total);
    }),
  );
});
