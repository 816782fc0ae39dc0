import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createModelReviewer,
  type ReviewerParts,
} from '../../src/adapters/review/model-reviewer.ts';
import type { Reply } from '../fakes/model-server/protocol.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server/server.ts';
import { call, inTurn, KEY, modelAt, NAME, PROTOCOLS, type Provider, say } from './rig.ts';

const verdict = (input: Readonly<Record<string, unknown>>): Reply =>
  call({ name: 'give_verdict', input });
const APPROVE = { verdict: 'approve', findings: [] };
const REJECT = {
  verdict: 'reject',
  findings: [
    { file: 'src/a.ts', line: 1, severity: 'error', text: 'No test.' },
    { file: 'elsewhere.ts', line: 9, severity: 'info', text: 'Hm.' },
  ],
};

const SCENARIOS = {
  approves: inTurn(verdict(APPROVE)),
  rejects: inTurn(verdict(REJECT)),
  'rejects-the-second': inTurn(verdict(APPROVE), verdict(REJECT)),
  'approves-in-words': inTurn(say('Looks good to me, approve!')),
  'approves-in-json': inTurn(say(JSON.stringify(APPROVE))),
  'quotes-an-approval': inTurn(say(`The diff says ${JSON.stringify(APPROVE)}`)),
  'wrong-form': inTurn(verdict({ verdict: 'LGTM' })),
  'wrong-form-once': inTurn(verdict({ verdict: 'LGTM' }), verdict(APPROVE)),
  'both-at-once': inTurn(
    call({ name: 'give_verdict', input: APPROVE }, { name: 'give_verdict', input: REJECT }),
  ),
  'approves-an-error': inTurn(verdict({ ...REJECT, verdict: 'approve' })),
  'three-at-once': inTurn(
    call(
      { name: 'give_verdict', input: APPROVE },
      { name: 'give_verdict', input: REJECT },
      { name: 'give_verdict', input: APPROVE },
    ),
  ),
  'bad-json': inTurn(call({ name: 'give_verdict', raw: '{"verdict":"approve"' })),
  silent: inTurn(say('')),
  refuses: inTurn({ kind: 'turn', text: '{"verdict":"approve"}', stop: 'refused' }),
  cut: inTurn({ kind: 'turn', text: '{"verdict":"approve"}', stop: 'cut' }),
  broken: inTurn({ kind: 'status', status: 500 }),
  hangs: inTurn({ kind: 'hang' }),
} as const;

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(SCENARIOS);
});
afterAll(() => server[Symbol.asyncDispose]());

const added = (path: string, ...lines: string[]): string =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
const DIFF = added('src/a.ts', 'export const a = 1;', "const phrase = 'sesame-open-please';");

let run = 0;
async function review(
  scenario: keyof typeof SCENARIOS,
  more: Partial<ReviewerParts> & { provider?: Provider; diff?: string; prompt?: string } = {},
) {
  const { provider, diff = DIFF, prompt = null, ...parts } = more;
  const key = `${scenario}~${(run += 1)}`;
  const reviewer = createModelReviewer({
    model: modelAt(server.url, key, provider),
    secrets: ['sesame-open-please'],
    ...parts,
  });
  const tasks = [{ id: 'web-1', title: 'Add a', acceptance: ['a is one'] }];
  const outcome = await reviewer.review({ title: 'The a epic', tasks, diff, prompt });
  const bodies = server.bodies.filter((one) => one.scenario === key).map(({ body }) => body);
  return { outcome, bodies, sent: JSON.stringify(bodies) };
}

test.each(PROTOCOLS)('%s: an approval is one call', async (provider) => {
  const { outcome, bodies, sent } = await review('approves', { provider });
  expect(outcome).toMatchObject({ kind: 'verdict', verdict: 'approve', findings: [] });
  expect(bodies).toHaveLength(1);
  expect(sent).toContain('must hold: a is one');
  expect(sent).toContain('export const a = 1;');
  expect(sent).not.toContain('sesame-open-please');
});

test('a rejection has its findings; a place outside the change is no place', async () => {
  const { outcome } = await review('rejects');
  expect(outcome).toMatchObject({
    kind: 'verdict',
    verdict: 'reject',
    findings: [
      { file: 'src/a.ts', line: 1, severity: 'error', text: 'No test.' },
      { file: null, line: null, severity: 'info', text: 'Hm.' },
    ],
  });
});

test.each([
  'approves-in-words',
  'quotes-an-approval',
  'wrong-form',
  'both-at-once',
  'three-at-once',
  'approves-an-error',
  'bad-json',
  'silent',
  'refuses',
  'cut',
  'broken',
] as const)('%s is no approval', async (scenario) => {
  for (const provider of PROTOCOLS) {
    const { outcome } = await review(scenario, { provider });
    expect(outcome).toMatchObject({ kind: 'no-verdict', reason: expect.stringMatching(/\w/) });
    expect(JSON.stringify(outcome)).not.toContain(KEY);
    expect(JSON.stringify(outcome)).not.toContain(NAME);
  }
});

test('a model that never answers has not approved', async () => {
  const { outcome } = await review('hangs', { limits: { ms: 150 } });
  expect(outcome).toMatchObject({ kind: 'no-verdict', reason: expect.stringContaining('limit') });
});

test.each(['wrong-form-once', 'approves-in-json'] as const)('%s counts', async (scenario) => {
  expect((await review(scenario)).outcome).toMatchObject({ kind: 'verdict', verdict: 'approve' });
});

test('conflict markers are rejected without a question', async () => {
  const diff = added('src/a.ts', 'a', '>>>>>>> theirs');
  const { outcome, bodies } = await review('approves', { diff });
  expect(bodies).toEqual([]);
  expect(outcome).toMatchObject({ verdict: 'reject', findings: [{ file: 'src/a.ts', line: 2 }] });
});

test('a large change is shown in parts, and one rejection rejects all', async () => {
  const diff = added('src/a.ts', 'x'.repeat(300)) + added('src/b.ts', 'y'.repeat(300));
  const { outcome, bodies, sent } = await review('rejects-the-second', {
    diff,
    most: { part: 400 },
  });
  expect(bodies).toHaveLength(2);
  expect(sent).toContain('y'.repeat(300));
  expect(outcome).toMatchObject({ verdict: 'reject' });
});

test('a change that is too large or empty is not approved unseen', async () => {
  const diff = added('src/a.ts', ...Array.from({ length: 50 }, () => 'x'.repeat(100)));
  const large = await review('approves', { diff, most: { part: 400, parts: 3 } });
  expect(large.outcome).toMatchObject({ kind: 'no-verdict' });
  expect(large.bodies).toEqual([]);
  expect((await review('approves', { diff: '' })).outcome).toMatchObject({ kind: 'no-verdict' });
});

test('the repo’s own prompt takes the place of ours', async () => {
  const { sent } = await review('approves', { prompt: 'Only look at the spelling.' });
  expect(sent).toContain('Only look at the spelling.');
  expect(sent).not.toContain('broken contracts');
  expect(sent).toContain('give_verdict exactly once');
});
