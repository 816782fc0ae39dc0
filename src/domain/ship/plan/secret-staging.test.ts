import { expect, test } from 'vitest';
import type { PlanLane } from './plan.ts';
import { stagedLanes, stagingOf, stagingRisks } from './secret-staging.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the staging looks at
const lane = (name: string, chosen: string, ...secrets: string[]) =>
  ({ name, secrets, platform: { chosen } }) as unknown as PlanLane;

const LANES = [lane('api', 'local', 'A', 'B'), lane('web', 'fly', 'A'), lane('jobs', 'local')];

test('only names that the file holds go to platforms that take them', () => {
  const staging = stagingOf(LANES, { kind: 'read', names: ['A', 'UNUSED'] });
  expect(staging.lanes).toEqual([
    { lane: 'api', platform: 'local', staged: ['A'], by_hand: [], missing: ['B'] },
    { lane: 'web', platform: 'fly', staged: [], by_hand: ['A'], missing: [] },
  ]);
  expect(stagedLanes(staging).map((one) => one.lane)).toEqual(['api']);
  expect(stagingRisks(staging).map(({ level, code }) => [level, code])).toEqual([
    ['note', 'secrets-missing'],
    ['note', 'secrets-by-hand'],
  ]);
});

test('a file that others can read blocks the plan', () => {
  const staging = stagingOf(LANES, { kind: 'refused', reason: 'it is tracked' });
  expect(stagedLanes(staging)).toEqual([]);
  expect(stagingRisks(staging)[0]).toMatchObject({ level: 'block', code: 'secrets-exposed' });
});

test('without a file nothing is handed over', () => {
  expect(stagedLanes(stagingOf(LANES, { kind: 'absent' }))).toEqual([]);
});
