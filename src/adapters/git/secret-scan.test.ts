import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanForSecrets } from './secret-scan.ts';

/** Samples are put together here so that no scanner takes this file for a leak. */
const glue = (...parts: string[]): string => parts.join('');
const noise = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF';

const added = (...lines: string[]): string =>
  `diff --git a/f.ts b/f.ts\n--- a/f.ts\n+++ b/f.ts\n@@ -0,0 +1,${lines.length} @@\n${lines
    .map((line) => `+${line}\n`)
    .join('')}`;

test.each([
  ['private-key', glue('-----BEGIN RSA PRIV', 'ATE KEY-----')],
  ['private-key', glue('-----BEGIN PRIV', 'ATE KEY-----')],
  ['aws-access-key', glue('id: AK', 'IA', 'ABCDEFGHIJKLMNOP')],
  ['github-token', glue('gh', 'p_', noise, 'abcd')],
  ['slack-token', glue('xo', 'xb-123456789012-abcdef')],
  ['npm-token', glue('np', 'm_', noise, 'abcd')],
  ['npm-token', glue('//registry.example/:_auth', 'Token=', noise)],
  ['anthropic-key', glue('sk-', 'ant-api03-', noise)],
  ['openai-key', glue('OPENAI=sk-', 'proj-', noise)],
  ['password-in-url', glue('postgres://app:', 'hunter22', '@db/x')],
  ['high-entropy-assignment', glue('const apiKey = "', noise, '"')],
  ['high-entropy-assignment', glue('client_secret: ', noise)],
])('%s is found and its value not repeated', (rule, text) => {
  const findings = scanForSecrets(added('first', text));
  expect(findings).toEqual([{ file: 'f.ts', line: 2, rule }]);
  expect(JSON.stringify(findings)).not.toContain(noise.slice(0, 12));
});

test.each([
  'const token = process.env.GITHUB_TOKEN_FOR_RELEASES',
  'password: "correct horse battery staple"',
  '//registry.example/:_authToken=${NPM_TOKEN_FROM_ENVIRONMENT}',
  'token: abcabcabcabcabcabcabcabc123',
  'postgres://app:$PASSWORD@db/x',
  'import { secretsFrom } from "./secret-store-of-version-2.ts"',
  'sha512-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
])('%j is not a secret', (text) => {
  expect(scanForSecrets(added(text))).toEqual([]);
});

test('only added lines count, with their number in the new file', () => {
  const key = glue('AK', 'IA', 'ABCDEFGHIJKLMNOP');
  const diff = [
    'diff --git a/x b/x',
    '--- a/x',
    '+++ b/x',
    '@@ -10,3 +20,4 @@ context',
    ` ${key}`,
    `-${key}`,
    '--- a/not-a-header',
    '+plain',
    '++++ b/neither',
    `+${key}`,
    'diff --git "a/tab\\t" "b/tab\\t"',
    '--- /dev/null',
    '+++ "b/tab\\t"',
    '@@ -0,0 +1 @@',
    `+${key}`,
    '\\ No newline at end of file',
    '',
  ].join('\n');
  expect(scanForSecrets(diff)).toEqual([
    { file: 'x', line: 23, rule: 'aws-access-key' },
    { file: 'tab\\t', line: 1, rule: 'aws-access-key' },
  ]);
});

test('no input makes the scan slow or throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => Array.isArray(scanForSecrets(text))),
  );
  const started = performance.now();
  scanForSecrets(added('secret_'.repeat(100_000), 'a:/'.repeat(50_000)));
  expect(performance.now() - started).toBeLessThan(60_000);
});
