import { afterAll, beforeAll, expect, test } from 'vitest';
import { driveRun } from '../../src/engine/ship/drive-run.ts';
import { shipTools } from '../../src/daemon/ship-tools.ts';
import type { Model } from '../../src/ports/model.ts';
import { CONCLUSION, MEDIC_SCENARIOS } from '../fakes/model-server/medic-scenarios.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server/server.ts';
import { call, inTurn, modelAt } from '../model/rig.ts';
import { placeOfTest } from '../postgres/ledger-of-test.ts';
import { openRun, openWorld, readRun } from './rig.ts';
import { SERVICE, tempDir } from './temp.ts';

const SECRET = 'sesame-open-please';
const FILES = {
  ...SERVICE,
  'src/server.js':
    "const url = process.env.DATABASE_URL;\nif (!url) throw new Error('DATABASE_URL is not set');\n",
  'src/config.js': `export const phrase = '${SECRET}';\n`,
};
const FAILED = {
  status: 'failed',
  step: 'start',
  exit: 1,
  signal: null,
  why: 'it ended',
  logTail: '',
} as const;
const LOG = `phrase ${SECRET}\nError: DATABASE_URL is not set\n    at src/server.js:2:17\n`;

const SCENARIOS = {
  ...MEDIC_SCENARIOS,
  'reads-the-secret': inTurn(
    call(
      { name: 'read_file', input: { path: 'src/config.js' } },
      { name: 'read_log_tail', input: {} },
      { name: 'grep_repo', input: { text: 'phrase' } },
    ),
    call({ name: 'finalize_diagnosis', input: { ...CONCLUSION } }),
  ),
};

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(SCENARIOS);
});
afterAll(() => server[Symbol.asyncDispose]());

let count = 0;
async function breach(model: Model | null, options: { readonly ai?: boolean | null } = {}) {
  using temp = tempDir();
  const tools = shipTools(process.env, async () => model);
  const world = await openWorld(temp.path, await placeOfTest(temp.path), {
    verdicts: [FAILED],
    report: { logTail: LOG },
    medic: (wish) => tools.medic(wish),
  });
  const { run } = await openRun(temp.path, world, { ...options, env: ['PHRASE'] }, FILES);
  await world.variables.keep(run, { PHRASE: SECRET });
  await driveRun(world, run, { wait: false, signal: new AbortController().signal });
  const state = await readRun(world.ledger, run);
  const events = await world.ledger.db
    .selectFrom('event')
    .select(['kind', 'data'])
    .orderBy('id')
    .execute();
  await world.ledger.close();
  const steps = events
    .filter(({ kind }) => kind === 'medic-stepped')
    .map(({ data }) => JSON.parse(data) as Record<string, string>);
  return { state, steps, all: events.map(({ data }) => data).join('\n') };
}

const asked = (scenario: keyof typeof SCENARIOS): Model =>
  modelAt(server.url, `${scenario}~run${(count += 1)}`);

test('DC-62 a breach is diagnosed by the model, and every call of it is an event', async () => {
  const { state, steps } = await breach(asked('happy'));
  expect(state.status).toBe('awaiting_fix');
  expect(state.diagnoses).toMatchObject([{ by: 'model', rootCause: CONCLUSION.root_cause }]);
  expect(state.diagnoses[0]).not.toHaveProperty('because');
  const called = steps.filter(({ step }) => step === 'called').map(({ tool }) => tool);
  expect(called).toEqual([
    'read_log_tail',
    'read_file',
    'grep_repo',
    'list_changes',
    'finalize_diagnosis',
  ]);
  const answered = steps.filter(({ step }) => step === 'answered').map(({ tool }) => tool);
  expect(answered).toEqual(called);
  expect(steps.every(({ text }) => (text ?? '').length <= 601)).toBe(true);
});

test.each([
  ['says-no', /refused/],
  ['busy-for-ever', /./],
  ['overloaded', /./],
  ['broken', /./],
  ['garbage', /./],
  ['no-key', /./],
  ['invalid-twice', /wrong form twice/],
  ['never-finalizes', /limit \(turns\)|did not hand in/],
  ['text-only', /did not hand in|limit/],
  ['dear-turns', /limit \(tokens\)/],
] as const)('DC-62 %s: the rules answer and say why', async (scenario, why) => {
  const { state } = await breach(asked(scenario));
  expect(state.status).toBe('awaiting_fix');
  const [card] = state.diagnoses;
  expect(card?.by).toBe('rules');
  expect(card?.because).toMatch(why);
  expect(card?.rootCause).toContain('DATABASE_URL');
});

test('no model is asked where nobody wants one, and a wish without a key is told', async () => {
  const before = server.asked.length;
  const without = await breach(asked('happy'), { ai: false });
  expect(server.asked).toHaveLength(before);
  expect(without.state.diagnoses[0]).not.toHaveProperty('by');
  expect(without.steps).toEqual([]);
  const keyless = await breach(null, { ai: true });
  expect(keyless.state.diagnoses[0]?.because).toBe('there is no key for a model');
  const plain = await breach(null);
  expect(plain.state.diagnoses[0]).not.toHaveProperty('because');
});

test('DC-63 a value of the run reaches neither the model nor the ledger', async () => {
  const before = server.bodies.length;
  // The model asks for the file and the log that hold it, and says nothing of it itself.
  const { state, all } = await breach(asked('reads-the-secret'));
  expect(state.diagnoses[0]?.by).toBe('model');
  const bodies = server.bodies.slice(before).map(({ body }) => JSON.stringify(body));
  expect(bodies.length).toBeGreaterThan(1);
  expect(bodies.join('')).toContain('[redacted]');
  expect(bodies.join('')).not.toContain(SECRET);
  expect(all).not.toContain(SECRET);
  // What a model says by itself is cleaned as well.
  expect((await breach(asked('leaks'))).all).not.toContain(SECRET);
});
