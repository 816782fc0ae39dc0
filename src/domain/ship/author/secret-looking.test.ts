import { expect, test } from 'vitest';
import { holdsSecret, isSecretName } from './secret-looking.ts';

test.each([
  '.env',
  '.env.production',
  'apps/api/.ENV.local',
  '.env.convoy-secrets',
  '.convoy-secrets',
  'prod.env',
  'tls/server.pem',
  'server.KEY',
  'id_rsa',
  '.ssh/config',
  '.npmrc',
  'service-account.json',
  'secrets.yaml',
  '．env',
])('%s is a secret by its name', (path) => expect(isSecretName(path)).toBe(true));

test.each([
  '.env.example',
  '.env.schema',
  '.env.jobs.schema',
  'id_rsa.pub',
  'src/env.ts',
  'key.ts',
  'environment',
])('%s is not', (path) => expect(isSecretName(path)).toBe(false));

test('credentials are recognised in a line', () => {
  expect(holdsSecret(['ok', `token: ghp_${'a1B2'.repeat(9)}`])).toBe(true);
  expect(holdsSecret(['-----BEGIN RSA PRIVATE KEY-----'])).toBe(true);
  expect(holdsSecret(['password = process.env.PASSWORD', 'const token = next()'])).toBe(false);
});
