import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { story } from './actions.ts';
import { brokenIn } from './run-story.ts';

const STORIES = Number(process.env['CONVOY_TEST_STORIES'] ?? 60);
const SEED = Number(process.env['CONVOY_TEST_SEED'] ?? 1);

test(`in ${STORIES} stories of people, agents, gates and crashes the engine keeps its promises`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 2 ** 30 }), story, async (seed, actions) => {
      expect(await brokenIn(seed, actions)).toEqual([]);
    }),
    {
      numRuns: STORIES,
      seed: SEED,
      interruptAfterTimeLimit: 45_000,
      markInterruptAsFailure: false,
    },
  );
}, 300_000);
