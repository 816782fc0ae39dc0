import { expect, test, vi } from 'vitest';
import type { Timers } from '../ports/timers.ts';
import { startLoop } from './loop.ts';

/** A clock that stands still: whoever waits for it waits for ever. */
const still: Timers = { monotonic: () => 0, after: () => () => {} };
const log = (): void => {};

test('a loop that is stopped while it holds back starts no pass and waits for nothing', async () => {
  const pass = vi.fn<() => Promise<void>>(async () => {});
  const loop = startLoop('held', pass, { everyMs: 5000, afterMs: 20, timers: still, log });
  await loop.stop();
  expect(pass).not.toHaveBeenCalled();
});

test('a loop that is stopped during a pass ends with it', async () => {
  const under = Promise.withResolvers<void>();
  const pass = vi.fn<() => Promise<void>>(() => under.promise);
  const loop = startLoop('busy', pass, { everyMs: 5000, timers: still, log });
  await vi.waitUntil(() => pass.mock.calls.length === 1);
  const stopped = loop.stop();
  under.resolve();
  await stopped;
  expect(pass).toHaveBeenCalledOnce();
});

test('what wakes a loop during a pass makes another one follow at once', async () => {
  const passes: PromiseWithResolvers<void>[] = [];
  const pass = (): Promise<void> => {
    const under = Promise.withResolvers<void>();
    passes.push(under);
    return under.promise;
  };
  const loop = startLoop('woken', pass, { everyMs: 5000, timers: still, log });
  await vi.waitUntil(() => passes.length === 1);
  loop.wake();
  passes[0]?.resolve();
  await vi.waitUntil(() => passes.length === 2);
  const stopped = loop.stop();
  passes[1]?.resolve();
  await stopped;
  expect(passes).toHaveLength(2);
});

test('a loop in a hurry does not hold back', async () => {
  const pass = vi.fn<() => Promise<void>>(async () => {});
  const loop = startLoop('held', pass, { everyMs: 5000, afterMs: 20, timers: still, log });
  loop.wake();
  await Promise.resolve();
  expect(pass).not.toHaveBeenCalled();
  loop.hurry();
  await vi.waitUntil(() => pass.mock.calls.length === 1);
  loop.hurry();
  await vi.waitUntil(() => pass.mock.calls.length === 2);
  await loop.stop();
});
