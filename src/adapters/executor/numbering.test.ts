import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { lowestSince, momentNow } from './numbering.ts';

test.skipIf(process.platform !== 'linux')(
  'what begins after a moment has a higher number, or any',
  () => {
    const before = momentNow();
    const child = spawn('true');
    expect(before).not.toBeNull();
    expect(child.pid).toBeGreaterThanOrEqual(lowestSince(before));
  },
);

test('any, once the numbers may have begun again', () => {
  expect(lowestSince({ last: Infinity, forks: momentNow()?.forks ?? 0 })).toBe(0);
  expect(lowestSince({ last: 0, forks: -Infinity })).toBe(0);
  expect(lowestSince(null)).toBe(0);
});
