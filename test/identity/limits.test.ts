import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../src/api/identity/limits.ts';
import { type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.stop());

test('whoever guesses tokens is told to wait, and the operator beside them is not', async () => {
  const guess = () => rig.ask('/api/v1/tasks', { token: 'guess' });
  const answers = await Promise.all(Array.from({ length: 40 }, guess));
  const slowed = answers.filter(({ status }) => status === 429);
  expect(slowed.length).toBeGreaterThan(0);
  expect(answers.every(({ status }) => status === 401 || status === 429)).toBe(true);
  expect(slowed[0]).toMatchObject({
    headers: { 'retry-after': '1', 'content-type': 'application/problem+json' },
    json: { code: 'too_many_requests', kind: 'too_many' },
  });
  expect((await rig.ask('/api/v1/tasks')).status).toBe(200);
  expect(rig.refusals().map(({ code }) => code)).toContain('too_many_requests');
});

test('an agent in a loop runs dry, one with another token does not', () => {
  const counted = limits(() => 1000);
  const waits = Array.from({ length: 400 }, () => counted.asked('tok-1', 'worker'));
  expect(waits.slice(0, 300).every((wait) => wait === 0)).toBe(true);
  expect(waits.slice(300).every((wait) => wait > 0)).toBe(true);
  expect(counted.asked('tok-2', 'worker')).toBe(0);
});
