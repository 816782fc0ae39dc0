import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModelMedic, type ModelMedicParts } from '../../src/adapters/medic/model-medic.ts';
import { openRepositoryReader } from '../../src/adapters/medic/repository-reader.ts';
import { createRuleMedic } from '../../src/adapters/medic/rule-medic.ts';
import type { Evidence } from '../../src/ports/medic.ts';
import type { ModelEvent } from '../../src/ports/model.ts';
import { CONCLUSION, MEDIC_SCENARIOS } from '../fakes/model-server/medic-scenarios.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server/server.ts';
import { KEY, modelAt, NAME, PROTOCOLS, type Provider } from './rig.ts';

const SECRET = 'sesame-open-please';
const SERVER_JS = [
  'const url = process.env.DATABASE_URL;',
  "if (!url) throw new Error('DATABASE_URL is not set');",
  'listen(url);',
  '',
].join('\n');

let server: ModelServer;
let repo: string;
beforeAll(async () => {
  server = await startModelServer(MEDIC_SCENARIOS);
  repo = await realpath(await mkdtemp(join(tmpdir(), 'convoy-medic-')));
  await mkdir(join(repo, 'src'));
  await mkdir(join(repo, '.git'));
  const files = {
    'src/server.js': SERVER_JS,
    'src/config.js': `export const phrase = '${SECRET}';\n`,
    Dockerfile: 'FROM node:24\nCMD ["node", "src/server.js"]\n',
    '.env': 'PASSWORD=hunter2\n',
    '.git/config': 'hunter2\n',
    'package.json': '{"name":"shop","scripts":{"start":"node src/server.js"}}\n',
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(repo, path), text);
  await symlink('/etc/passwd', join(repo, 'link-out'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(repo, { recursive: true });
});

const EVIDENCE: Evidence = {
  lane: 'api',
  lanePath: '.',
  stage: 'start',
  command: 'node src/server.js',
  cwd: '/run/copy',
  exit: { code: 1, signal: null },
  timedOutMs: null,
  log: [
    'starting',
    `phrase ${SECRET}`,
    'Error: DATABASE_URL is not set',
    '    at Object.<anonymous> (/run/copy/src/server.js:2:17)',
    '',
  ].join('\n'),
  probes: [],
  port: null,
  resources: null,
  env: { needed: ['DATABASE_URL'], given: ['PORT'] },
  changes: [{ file: 'src/server.js', added: [{ line: 2, text: 'if (!url) throw' }] }],
  previous: null,
  ownedFiles: ['Dockerfile'],
};

let run = 0;
async function look(
  scenario: keyof typeof MEDIC_SCENARIOS,
  more: Partial<ModelMedicParts> & {
    provider?: Provider;
    evidence?: Evidence;
    silenceMs?: number;
  } = {},
) {
  const { provider, evidence = EVIDENCE, silenceMs = 5000, ...parts } = more;
  const key = `${scenario}~${(run += 1)}`;
  const reader = await openRepositoryReader(repo, [SECRET]);
  const events: (ModelEvent & { lane: string })[] = [];
  const medic = createModelMedic({
    model: modelAt(server.url, key, provider, { patience: { silenceMs } }),
    reader,
    rules: createRuleMedic(reader, [SECRET]),
    secrets: [SECRET],
    onEvent: (event) => events.push(event),
    ...parts,
  });
  const verdict = await medic.diagnose(evidence);
  const bodies = server.bodies.filter((one) => one.scenario === key).map(({ body }) => body);
  return { verdict, events, bodies, sent: JSON.stringify(bodies) };
}

const CARD = {
  lane: 'api',
  rootCause: CONCLUSION.root_cause,
  classification: 'config',
  confidence: 'high',
  owned: 'developer',
  fix: CONCLUSION.fix,
  reproduction: CONCLUSION.reproduction,
  evidence: [
    {
      file: 'src/server.js',
      line: 2,
      text: "if (!url) throw new Error('DATABASE_URL is not set');",
    },
    { text: 'Error: DATABASE_URL is not set' },
  ],
};

test.each(PROTOCOLS)(
  'DC-62 %s: the medic looks, concludes, and every step is told',
  async (provider) => {
    const { verdict, events, bodies, sent } = await look('happy', { provider });
    expect(verdict).toMatchObject({ diagnosis: CARD, rule: 'model', by: 'model', because: null });
    expect(verdict.usage).toMatchObject({ turns: 5, inputTokens: 500, outputTokens: 100 });
    const called = events.filter((event) => event.type === 'tool-called');
    expect(called.map(({ tool, turn }) => [turn, tool])).toEqual([
      [1, 'read_log_tail'],
      [2, 'read_file'],
      [3, 'grep_repo'],
      [4, 'list_changes'],
      [5, 'finalize_diagnosis'],
    ]);
    expect(events.filter((event) => event.type === 'tool-answered')).toHaveLength(5);
    expect(new Set(events.map(({ lane }) => lane))).toEqual(new Set(['api']));
    expect(bodies).toHaveLength(5);
    expect(sent).toContain('src/server.js:1: const url = process.env.DATABASE_URL;');
  },
);

test('DC-62 what comes from outside is fenced by a mark that changes every time', async () => {
  const marks = await Promise.all(
    ['happy', 'happy'].map(async () => {
      const { sent } = await look('happy');
      return /<<<([0-9a-f]{12}) read_log_tail/.exec(sent)?.[1];
    }),
  );
  expect(marks[0]).toMatch(/^[0-9a-f]{12}$/);
  expect(marks[0]).not.toBe(marks[1]);
});

test.each(PROTOCOLS)('DC-62 %s: tools called together', async (provider) => {
  const { verdict, events } = await look('parallel', { provider });
  expect(verdict.diagnosis).toEqual(CARD);
  const answers = events.filter((event) => event.type === 'tool-answered' && event.turn === 1);
  expect(answers).toHaveLength(4);
});

test('DC-62 a conclusion in the wrong form may be mended once', async () => {
  const { verdict, bodies, sent } = await look('invalid-once');
  expect(verdict).toMatchObject({ diagnosis: CARD, by: 'model' });
  expect(bodies).toHaveLength(2);
  expect(sent).toContain('Not accepted. classification');
});

test('DC-62 also in the fifth turn there is one left to mend it', async () => {
  const { verdict, bodies } = await look('late-and-invalid');
  expect(verdict).toMatchObject({ diagnosis: CARD, by: 'model' });
  expect(bodies).toHaveLength(6);
});

test('DC-62 twice in the wrong form: the rules answer, with what the model had seen', async () => {
  const { verdict, bodies } = await look('invalid-twice');
  expect(bodies).toHaveLength(2);
  expect(verdict).toMatchObject({ by: 'rules', because: expect.stringContaining('twice') });
  expect(verdict.diagnosis?.rootCause).toContain('DATABASE_URL');
  expect(verdict.diagnosis?.evidence).toContainEqual(CARD.evidence[0]);
  expect(verdict.notes).toContain(CONCLUSION.root_cause);
});

test('DC-62 never concludes: six turns, then the rules', async () => {
  const { verdict, bodies, events } = await look('never-finalizes');
  expect(bodies).toHaveLength(6);
  expect(verdict).toMatchObject({ by: 'rules', because: expect.stringContaining('turns') });
  expect(verdict.diagnosis?.rootCause).toContain('DATABASE_URL');
  // In the last two turns nothing but the conclusion is open.
  expect(events.filter((event) => event.type === 'tool-called').map(({ turn }) => turn)).toEqual([
    1, 2, 3, 4,
  ]);
});

test('DC-62 words only: reminded once, then the rules, with the words as notes', async () => {
  const { verdict, bodies, sent } = await look('text-only');
  expect(bodies).toHaveLength(2);
  expect(sent).toContain('Only a call of finalize_diagnosis counts');
  expect(verdict).toMatchObject({ by: 'rules' });
  expect(verdict.notes).toContain('It is probably the database.');
});

test('DC-62 words, then a conclusion', async () => {
  expect((await look('text-then-finalize')).verdict).toMatchObject({
    diagnosis: CARD,
    by: 'model',
  });
});

test.each(['unknown-tool', 'bad-json', 'wrong-input'] as const)(
  'DC-62 %s does not end the investigation',
  async (scenario) => {
    for (const provider of PROTOCOLS) {
      const { verdict } = await look(scenario, { provider });
      expect(verdict).toMatchObject({ diagnosis: CARD, by: 'model' });
    }
  },
);

test.each([
  ['says-no', 'refused'],
  ['busy-for-ever', '429'],
  ['overloaded', '529'],
  ['broken', '500'],
  ['no-key', 'key'],
  ['garbage', 'no answer'],
] as const)('DC-62 %s: the rules answer and say why', async (scenario, why) => {
  const { verdict } = await look(scenario);
  expect(verdict).toMatchObject({ by: 'rules', because: expect.stringContaining(why) });
  expect(verdict.diagnosis?.rootCause).toContain('DATABASE_URL');
  expect(JSON.stringify(verdict)).not.toContain(KEY);
  expect(JSON.stringify(verdict)).not.toContain(NAME);
});

test('DC-62 busy once is waited for', async () => {
  const { verdict, events } = await look('busy-once');
  expect(verdict).toMatchObject({ by: 'model' });
  expect(events.filter(({ type }) => type === 'retrying')).toHaveLength(1);
});

test.each([
  ['hangs', { ms: 200 }, 'ms'],
  ['dear-turns', { tokens: 150_000, usd: 99 }, 'tokens'],
  ['dear-turns', { tokens: 9e6, usd: 1.6 }, 'usd'],
  ['never-finalizes', { turns: 2 }, 'turns'],
] as const)('DC-62 %s within %o ends at its limit: %s', async (scenario, limits, limit) => {
  const { verdict } = await look(scenario, { limits });
  expect(verdict).toMatchObject({ by: 'rules', because: expect.stringContaining(`(${limit})`) });
});

test.each(['slow', 'stalls'] as const)(
  'DC-62 %s is waited for or asked again',
  async (scenario) => {
    const { verdict } = await look(scenario, { silenceMs: 1000 });
    expect(verdict).toMatchObject({ diagnosis: CARD, by: 'model' });
  },
);

test('DC-62 a model that never says anything is given up', async () => {
  const { verdict } = await look('hangs', { silenceMs: 50 });
  expect(verdict).toMatchObject({ by: 'rules', because: 'The model did not answer in time.' });
});

test('DC-62 it can be stopped', async () => {
  const { verdict } = await look('hangs', { signal: AbortSignal.timeout(100) });
  expect(verdict).toMatchObject({ by: 'rules', because: expect.stringContaining('stopped') });
});

test('DC-63 nothing outside, nothing denied, also not as evidence', async () => {
  const { verdict, events, sent } = await look('traversal');
  expect(sent).not.toContain('root:');
  expect(sent).not.toContain('hunter2\\n');
  const answers = events.flatMap((event) =>
    event.type === 'tool-answered' && event.turn === 1 ? [event.output] : [],
  );
  expect(answers.map((text) => text.split('\n')[1])).toEqual([
    'Refused: that is outside the repository.',
    'Refused: that is outside the repository.',
    'Refused: that file may hold secrets.',
    'Refused: that file may hold secrets.',
    'Refused: that is outside the repository.',
    'Refused: that is no path.',
    'No line has it.',
  ]);
  expect(verdict.diagnosis).toEqual({ ...CARD, confidence: 'medium' });
});

test('DC-63 secrets reach neither the model nor the events nor the card', async () => {
  const { verdict, events, sent } = await look('leaks');
  expect(JSON.stringify(events)).not.toContain(SECRET);
  expect(JSON.stringify(verdict)).not.toContain(SECRET);
  // Its own question comes back to it; that is the only place.
  expect(sent.replaceAll(`"text":"${SECRET}"`, '')).not.toContain(SECRET);
  expect(verdict.diagnosis?.rootCause).toContain('[redacted]');
});

test('references that do not exist are dropped and cost confidence', async () => {
  const { verdict } = await look('makes-things-up');
  expect(verdict).toMatchObject({ by: 'model', diagnosis: { evidence: [], confidence: 'low' } });
});

test('a line that was miscounted in a copy is led back to the repository', async () => {
  const { verdict } = await look('miscounts');
  expect(verdict.diagnosis).toMatchObject({ evidence: [CARD.evidence[0]], confidence: 'high' });
});

test('DC-64 a patch for the developer’s file is left out', async () => {
  const { verdict } = await look('sends-a-patch');
  expect(verdict.diagnosis?.fix).toMatch(
    /^Set a default:\n\(a patch was left out.*\)\nThen deploy\.$/s,
  );
  expect(JSON.stringify(verdict)).not.toMatch(/diff --git|const url = |@@/);
});

test('DC-64 only a fault in a file Convoy wrote is Convoy’s', async () => {
  expect((await look('claims-our-file')).verdict.diagnosis?.owned).toBe('convoy');
  expect((await look('claims-their-file')).verdict.diagnosis?.owned).toBe('developer');
});

test('where nothing is wrong the model is not even asked', async () => {
  const healthy: Evidence = { ...EVIDENCE, stage: 'load', exit: null, log: 'listening\n' };
  const { verdict, bodies } = await look('happy', { evidence: healthy });
  expect(bodies).toEqual([]);
  expect(verdict.diagnosis).toBeNull();
});

test('where the rules know nothing the model’s notes are kept', async () => {
  const rules = {
    diagnose: async () => ({ diagnosis: null, reason: 'Nothing explains it.' }) as const,
  };
  const { verdict } = await look('text-only', { rules });
  expect(verdict).toMatchObject({
    by: 'rules',
    diagnosis: null,
    reason:
      'Nothing explains it. The model looked, without a conclusion: It is probably the database.',
  });
});
