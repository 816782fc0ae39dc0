import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sealingBy } from './sealing.ts';

const PACE = { lingerMs: 2, apartMs: 25 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A seal that ends when the test says so. */
function slowSeal(): { seal: () => Promise<void>; started: () => number; end: () => void } {
  const open: (() => void)[] = [];
  let started = 0;
  return {
    seal: () => {
      started += 1;
      return new Promise((resolve) => open.push(resolve));
    },
    started: () => started,
    end: () => open.shift()?.(),
  };
}

test('one seal runs at a time, and all who asked meanwhile share the next', async () => {
  const { seal, started, end } = slowSeal();
  const { now } = sealingBy(seal, PACE);
  const first = now();
  const shared = [now(), now(), now()];
  expect(started()).toBe(1);
  end();
  await first;
  await vi.advanceTimersByTimeAsync(0);
  expect(started()).toBe(2);
  end();
  await Promise.all(shared);
  expect(started()).toBe(2);
});

test('who asks while the next is already running gets one more', async () => {
  const { seal, started, end } = slowSeal();
  const { now } = sealingBy(seal, PACE);
  void now();
  void now();
  end();
  await vi.advanceTimersByTimeAsync(0);
  const third = now();
  expect(started()).toBe(2);
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(started()).toBe(3);
  end();
  await third;
});

test('the first writer is sealed soon, busy writers together', async () => {
  let sealed = 0;
  const { soon } = sealingBy(async () => void sealed++, PACE);
  soon();
  await vi.advanceTimersByTimeAsync(2);
  expect(sealed).toBe(1);
  for (let each = 0; each < 10; each++) soon();
  await vi.advanceTimersByTimeAsync(20);
  expect(sealed).toBe(1);
  await vi.advanceTimersByTimeAsync(5);
  expect(sealed).toBe(2);
});

test('a reader is told when sealing fails, a writer is not, and the next one seals', async () => {
  let fail = true;
  const { now, soon } = sealingBy(async () => {
    if (fail) throw new Error('no server');
  }, PACE);
  await expect(now()).rejects.toThrow('no server');
  soon();
  await vi.advanceTimersByTimeAsync(100);
  fail = false;
  await now();
});

test('closing seals what is left', async () => {
  let sealed = 0;
  const { soon, close } = sealingBy(async () => void sealed++, PACE);
  soon();
  await close();
  expect(sealed).toBe(1);
  await close();
  expect(sealed).toBe(1);
});
