import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lowestSince, momentNow } from './numbering.ts';

/** Whether the kernel itself says how far its numbers have come. */
const isTold =
  existsSync('/proc/loadavg') &&
  !/ \/proc\/(?:loadavg|stat) /.test(readFileSync('/proc/self/mountinfo', 'utf8'));

test('a moment is told where the kernel tells it, and only there', () => {
  expect(momentNow() !== null).toBe(isTold);
});

test('what begins after a moment has a higher number than those before it, or any', async () => {
  const before = momentNow();
  const child = spawn('true');
  const lowest = lowestSince(before);
  expect(child.pid).toBeGreaterThanOrEqual(lowest);
  expect([0, before?.last ?? 0]).toContain(lowest);
  await once(child, 'exit');
});

test('any, once the numbers may have begun again', () => {
  expect(lowestSince({ last: Infinity, forks: momentNow()?.forks ?? 0 })).toBe(0);
  expect(lowestSince({ last: 0, forks: -Infinity })).toBe(0);
  expect(lowestSince(null)).toBe(0);
});
