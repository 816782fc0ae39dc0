import { expect, test } from 'vitest';
import { chosenParts } from './chosen-parts.ts';
import type { PlanLane } from './plan.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the choice looks at
const lane = (name: string, path: string, chosen: string, ...depends_on: string[]) =>
  ({ name, path, depends_on, platform: { chosen } }) as unknown as PlanLane;

const FOUND = {
  lanes: [lane('api', 'apps/api', 'fly'), lane('web', 'apps/web', 'vercel', 'api')],
  risks: [
    { level: 'warn', code: 'x', message: '', lane: 'api', files: [] },
    { level: 'warn', code: 'y', message: '', lane: null, files: [] },
  ],
} as const;

const choose = (parts: readonly string[], flyApp: string | null = null) => {
  const chosen = chosenParts(FOUND, { parts, flyApp });
  return chosen.ok
    ? { lanes: chosen.value.lanes, codes: chosen.value.risks.map(({ code }) => code) }
    : chosen.error;
};

test('a part is named by its lane or its directory, and depends only on what comes along', () => {
  expect(choose(['web'])).toMatchObject({ lanes: [{ name: 'web', depends_on: [] }], codes: ['y'] });
  expect(choose(['./apps/api/'])).toMatchObject({ lanes: [{ name: 'api' }], codes: ['x', 'y'] });
  expect(choose(['api', 'web'])).toMatchObject({ lanes: [{}, { depends_on: ['api'] }] });
  expect(choose(['docs'])).toEqual({ kind: 'unknown-part', part: 'docs', lanes: ['api', 'web'] });
});

test('an application on Fly.io is named where there is exactly one', () => {
  expect(choose([], 'shop-1')).toMatchObject({
    lanes: [{ platform: { chosen: 'fly', app: 'shop-1' } }, { platform: { chosen: 'vercel' } }],
  });
  expect(choose(['web'], 'shop')).toEqual({ kind: 'no-fly-lane', platforms: ['vercel'] });
  for (const name of ['', 'Shop', '-shop', 'shop-', 'a'.repeat(64), 'a b', 'a;b'])
    expect(choose([], name)).toEqual({ kind: 'bad-app-name', name });
  const two = { ...FOUND, lanes: [lane('a', 'a', 'fly'), lane('b', 'b', 'fly')] };
  const many = chosenParts(two, { parts: [], flyApp: 'x' });
  expect(!many.ok && many.error).toEqual({ kind: 'many-fly-lanes', lanes: ['a', 'b'] });
});
