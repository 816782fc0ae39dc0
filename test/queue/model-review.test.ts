import { afterAll, beforeAll, expect, test } from 'vitest';
import { landConvoy } from '../../src/contract/routes/queue.ts';
import { engineRig, type EngineRig } from '../engine/rig.ts';
import type { Reply } from '../fakes/model-server/protocol.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server/server.ts';
import { call, inTurn, KEY, NAME, say } from '../model/rig.ts';

const verdict = (said: string, ...texts: string[]): Reply =>
  call({
    name: 'give_verdict',
    input: {
      verdict: said,
      findings: texts.map((text) => ({ file: null, line: null, severity: 'error', text })),
    },
  });

const SCENARIOS = {
  approves: inTurn(verdict('approve')),
  'rejects-once': inTurn(verdict('reject', 'it lacks a mend'), verdict('approve')),
  silent: inTurn(say('I would rather not say.')),
  'silent-three-times': ({ request }: { request: number }): Reply =>
    request <= 6 ? say('Hm.') : verdict('approve'),
} as const;

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(SCENARIOS);
});
afterAll(() => server[Symbol.asyncDispose]());

let runs = 0;
async function reviewed(
  scenario: keyof typeof SCENARIOS,
  repo: Record<string, unknown> = {},
): Promise<{ rig: EngineRig; asked: () => number; sent: () => string }> {
  const name = `${scenario}~${(runs += 1)}`;
  const rig = await engineRig({
    repo: { review: 'agent', ...repo },
    env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `${server.url}/s/${name}` },
  });
  rig.config((config) => {
    Object.assign(config, { model: { name: NAME } });
  });
  const bodies = (): readonly unknown[] => server.bodies.filter((one) => one.scenario === name);
  return { rig, asked: () => bodies().length, sent: () => JSON.stringify(bodies()) };
}

test('without a reviewer but with a key the model reviews, and its yes is bound to the tree', async () => {
  const { rig, asked, sent } = await reviewed('approves');
  const task = await rig.task('Price a cart', {
    acceptance: [{ text: 'it is exact', done: false }],
  });
  const convoy = await rig.launch(task);
  rig.start();
  const landed = await rig.settled(convoy, 'landed');
  expect(landed.review).toMatchObject([
    { status: 'approved', by: 'model', tries: 1, tree: rig.git('rev-parse', 'main^{tree}') },
  ]);
  const { usd, tokens } = landed.review[0]!;
  expect([usd > 0, tokens > 0]).toEqual([true, true]);
  expect(landed.cost).toMatchObject({ usd, tokens });
  expect(asked()).toBe(1);
  expect(sent()).toContain('must hold: it is exact');
  expect(sent()).not.toContain(KEY);
});

test('GT-174 its no becomes a task of the convoy, and the mended tree is asked about anew', async () => {
  const { rig, asked } = await reviewed('rejects-once');
  const task = await rig.task('One');
  const convoy = await rig.launch(task);
  rig.start();
  const landed = await rig.settled(convoy, 'landed');
  expect(landed.tasks).toHaveLength(2);
  expect(new Set(landed.review.map(({ tree }) => tree)).size).toBe(2);
  expect(landed.review.map(({ status }) => status).toSorted()).toEqual(['approved', 'rejected']);
  const mend = landed.tasks.find(({ id }) => id !== task);
  const [attempt] = await rig.attempts(mend?.id ?? '');
  expect(attempt === undefined ? '' : rig.prompt(attempt)).toContain('it lacks a mend');
  expect(asked()).toBe(2);
});

test('no verdict is no approval: it is asked three times, then a person may ask again', async () => {
  const { rig, asked } = await reviewed('silent-three-times');
  const before = rig.git('rev-parse', 'main');
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  const stalled = await rig.settled(convoy, 'stalled');
  expect(stalled.review).toMatchObject([{ status: 'failed', tries: 3, by: 'model' }]);
  expect(stalled.reason).toContain('no verdict after 3 reviews');
  expect(rig.git('rev-parse', 'main')).toBe(before);
  // Two turns for each review: the second time it is told to hand a verdict in.
  expect(asked()).toBe(6);
  await rig.call(landConvoy, { params: { id: convoy }, body: {} });
  await rig.settled(convoy, 'landed');
});

test('with no key at all the convoy says what is missing', async () => {
  const rig = await engineRig({ repo: { review: 'agent' } });
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  const stalled = await rig.settled(convoy, 'stalled');
  expect(stalled.reason).toContain('no reviewer is named, and no key of a model is set');
});

test('a spent budget approves nothing', async () => {
  const { rig, asked } = await reviewed('approves', { review_each: true });
  rig.config((config) => {
    Object.assign(config, { budget: { usd: 0.000_001 } });
  });
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  const stalled = await rig.settled(convoy, 'stalled');
  expect(stalled.review).toMatchObject([{ status: 'failed' }]);
  expect(stalled.reason).toContain('limit (usd)');
  expect(asked()).toBe(0);
});
