import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cardOf, type Conclusion, withoutPatch, withSeen } from './prompt-answer.ts';

const SAID: Conclusion = {
  rootCause: 'The port is taken.',
  classification: 'infra',
  confidence: 'high',
  owned: 'convoy',
  fix: 'Free the port.',
  reproduction: 'npm start',
  evidence: [{ file: 'Dockerfile', line: 2, text: 'EXPOSE' }, { text: 'EADDRINUSE' }],
};

test.each([
  ['high', 2, 'high'],
  ['high', 1, 'medium'],
  ['medium', 1, 'low'],
  ['high', 0, 'low'],
] as const)('%s confidence with %i of two references left is %s', (confidence, left, expected) => {
  const card = cardOf('api', { ...SAID, confidence }, SAID.evidence.slice(0, left), []);
  expect(card.confidence).toBe(expected);
});

test('a fault is Convoy’s only where it shows in a file Convoy wrote', () => {
  expect(cardOf('api', SAID, SAID.evidence, ['Dockerfile']).owned).toBe('convoy');
  expect(cardOf('api', SAID, SAID.evidence, ['fly.toml']).owned).toBe('developer');
  const theirs = { ...SAID, owned: 'developer' as const };
  expect(cardOf('api', theirs, SAID.evidence, ['Dockerfile']).owned).toBe('developer');
});

test('what was seen joins the evidence once, and not without end', () => {
  const card = cardOf('api', SAID, SAID.evidence, []);
  expect(withSeen(card, SAID.evidence).evidence).toEqual(SAID.evidence);
  const many = Array.from({ length: 30 }, (_, n) => ({ text: `line ${n}` }));
  expect(withSeen(card, many).evidence).toHaveLength(8);
});

test.each([
  ['Words stay.\n- also\n- a list', 'Words stay.\n- also\n- a list'],
  ['Use `npm ci` instead.', 'Use `npm ci` instead.'],
  ['Do:\n```\nrm x\n```\nthen go.', /^Do:\n\(a patch was left out[^\n]*\)\nthen go\.$/],
  ['Open block\n```diff\n-a\n+b', /^Open block\n\(a patch was left out[^\n]*\)$/],
  ['--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n same\nThe end.', /^\(a patch[^\n]*\)\nThe end\.$/],
  ['*** Begin Patch\n*** Update File: x\n-a\n+b\n*** End Patch', /^\(a patch[^\n]*\)$/],
])('of %j the words are left', (text, expected) => {
  expect(withoutPatch(text)).toMatch(
    expected instanceof RegExp ? expected : new RegExp(`^${RegExp.escape(expected)}$`),
  );
});

test('no text is left with a code block or the head of a diff in it', () => {
  const piece = fc.constantFrom(
    '```',
    '~~~',
    '--- a/x',
    '+++ b/x',
    '@@ -1 +1 @@',
    '-a',
    'words',
    '\n',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const left = withoutPatch(pieces.join('\n'));
      expect(left).not.toMatch(/^(?:--- a|\+\+\+ b|@@ )/m);
      expect(left).not.toMatch(/```[\s\S]*```/);
    }),
  );
});
