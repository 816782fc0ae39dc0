import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { followQueue, type Quiet, type QueueSigns } from './watchdog.ts';

const SIGNS: QueueSigns = { movable: 1, stopped: false, mark: 'a', gateMs: 0 };
const at = (now: number): { now: number; limitMs: number } => ({ now, limitMs: 100 });

test('GT-169 a queue that does not change for the limit is stalled, not a moment before', () => {
  const { quiet } = followQueue(null, SIGNS, at(0));
  expect(followQueue(quiet, SIGNS, at(99))).toMatchObject({ stalled: false, dueMs: 1 });
  expect(followQueue(quiet, SIGNS, at(100))).toMatchObject({ stalled: true });
});

test.each([
  ['something moved', { mark: 'b' }],
  ['nothing in it can move', { movable: 0 }],
  ['somebody stopped it', { stopped: true }],
  ['a gate may still run', { gateMs: 1000 }],
])('it is not stalled when %s', (_, differs) => {
  const { quiet } = followQueue(null, SIGNS, at(0));
  expect(followQueue(quiet, { ...SIGNS, ...differs }, at(500)).stalled).toBe(false);
});

test('a clock that was set back stalls nothing', () => {
  const { quiet } = followQueue(null, SIGNS, at(1_000_000));
  expect(followQueue(quiet, SIGNS, at(5))).toMatchObject({ stalled: false, quiet: { since: 5 } });
});

test('whoever moves within the limit is never called stalled', () => {
  const steps = fc.array(fc.integer({ min: 1, max: 99 }), { maxLength: 50 });
  fc.assert(
    fc.property(steps, (waits) => {
      let quiet: Quiet | null = null;
      let now = 0;
      for (const [turn, wait] of waits.entries()) {
        now += wait;
        const seen = followQueue(quiet, { ...SIGNS, mark: String(turn) }, at(now));
        expect(seen.stalled).toBe(false);
        ({ quiet } = seen);
      }
    }),
  );
});
