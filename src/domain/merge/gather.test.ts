import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { gathers, LONGEST_GATHER_MS } from './gather.ts';

const few = fc.nat({ max: 20 });

test('nobody waits where nobody comes, where there is a slot for each, or for longer than a moment', () => {
  fc.assert(
    fc.property(few, few, few, fc.nat({ max: 1000 }), (queued, slots, coming, sinceMs) => {
      const waits = gathers(queued, slots, { coming, sinceMs });
      const isInTime = sinceMs < LONGEST_GATHER_MS;
      expect(waits).toBe(coming > 0 && queued + coming > slots && isInTime);
    }),
  );
});

test('who waits would not wait longer with more slots', () => {
  fc.assert(
    fc.property(few, few, few, fc.nat({ max: 1000 }), (queued, slots, coming, sinceMs) => {
      const crowd = { coming, sinceMs };
      const [fewer, more] = [slots, slots + 1].map((each) => gathers(queued, each, crowd));
      expect(fewer === false && more === true).toBe(false);
    }),
  );
});
