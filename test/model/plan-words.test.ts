import { afterAll, beforeAll, expect, test } from 'vitest';
import { wordWithModel } from '../../src/adapters/plans/model-words.ts';
import { checkedWords } from '../../src/domain/ship/plan/model-words.ts';
import type { PlanBody } from '../../src/domain/ship/plan/plan.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server/server.ts';
import { call, inTurn, modelAt, PROTOCOLS, say } from './rig.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the words may speak of
const PLAN = {
  repo: { name: 'shop' },
  deployable: true,
  reason: 'a service',
  lanes: [
    {
      name: 'api',
      kind: 'backend',
      path: '.',
      framework: 'express',
      start: 'node "app.js"',
      datastores: [],
      secrets: ['API_KEY'],
      depends_on: [],
      platform: { chosen: 'fly', reason: 'it fits' },
    },
  ],
  files: [{ path: 'Dockerfile', action: 'create' }],
  steps: [],
  approvals: [],
  risks: [],
} as unknown as PlanBody;

const GOOD = {
  summary: 'shop: api goes to Fly.',
  narrative: 'I start api with `node "app.js"`, see that it answers, and would run it on fly.',
};
const write = (more: object = {}) => call({ name: 'write_words', input: { ...GOOD, ...more } });
const BAD = { narrative: 'I start api with `rm -rf /` on fly.' };

const SCENARIOS = {
  good: inTurn(write()),
  mended: inTurn(write(BAD), write()),
  'made-up': inTurn(write(BAD)),
  'wrong-form': inTurn(write({ summary: 7 })),
  words: inTurn(say('All is well.')),
  refuses: inTurn({ kind: 'turn', text: 'No.', stop: 'refused' }),
  busy: inTurn({ kind: 'status', status: 429 }),
  broken: inTurn({ kind: 'status', status: 500 }),
  garbage: inTurn({ kind: 'garbage' }),
} as const;

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(SCENARIOS);
});
afterAll(() => server[Symbol.asyncDispose]());

test.each(PROTOCOLS)(
  '%s: words that hold to the plan are taken, also at the second try',
  async (provider) => {
    for (const scenario of ['good', 'mended'])
      expect(
        await wordWithModel(modelAt(server.url, `${scenario}~${provider}`, provider), PLAN),
      ).toEqual({
        ok: true,
        value: GOOD,
      });
  },
);

test.each([
  ['made-up', /`rm -rf \/` does not stand in the plan/],
  ['wrong-form', /must both be text/],
  ['words', /wrote no words|limit/],
  ['refuses', /refused/],
  ['busy', /./],
  ['broken', /./],
  ['garbage', /./],
] as const)('%s: the reason is told', async (scenario, why) => {
  const said = await wordWithModel(modelAt(server.url, `${scenario}~x`), PLAN);
  expect(!said.ok && said.error).toMatch(why);
});

test.each([
  ['two lines', { summary: 'a\nb' }, 'one line'],
  ['nothing', { narrative: ' ' }, 'say something'],
  ['a lane left out', { narrative: 'I ship to fly.' }, 'does not name api'],
  ['another platform', { narrative: 'I run api on vercel.' }, 'does not name fly'],
  ['an address', { narrative: 'api on fly, see https://evil.example' }, 'no addresses'],
  ['markup', { narrative: 'api on fly <script>x</script>' }, 'no markup'],
  ['a long summary', { summary: 'x'.repeat(201) }, 'longer'],
])('%s is not taken', (_, more, why) => {
  const checked = checkedWords({ ...GOOD, ...more }, PLAN);
  expect(!checked.ok && checked.error).toContain(why);
});

test('what blocks a plan must be said', () => {
  const risks = [
    { level: 'block', code: 'x', message: 'two configs', lane: null, files: [] },
  ] as const;
  const checked = checkedWords(GOOD, { ...PLAN, risks });
  expect(!checked.ok && checked.error).toContain('risk blocks');
});
