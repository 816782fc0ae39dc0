import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchPath, secretValues, stepEnvironment } from './step-environment.ts';
import type { EnvironmentParts } from './step-environment.ts';

const parts: EnvironmentParts = {
  phase: 'start',
  path: '/bin',
  home: '/scratch/home',
  temp: '/scratch/tmp',
  marker: 'id',
  outside: {},
  explicit: {},
  injected: {},
  port: 4000,
};

const nodeEnv = (phase: EnvironmentParts['phase'], explicit = {}) =>
  stepEnvironment({ ...parts, phase, explicit })['NODE_ENV'];

test('DC-21 no variable of ours gets through unless it is named', () => {
  const name = fc.stringMatching(/^[A-Z]{2,12}_(?:TOKEN|KEY|SECRET|PASSWORD)$/);
  fc.assert(
    fc.property(name, fc.constantFrom('install', 'build', 'start'), (secret, phase) => {
      const env = stepEnvironment({ ...parts, phase, outside: { [secret]: 'canary' } });
      expect(Object.values(env)).not.toContain('canary');
    }),
  );
});

test('the home, the port and the mark are ours whatever was given', () => {
  const explicit = { PORT: '1', CONVOY_REHEARSAL: 'other', GREETING: 'hi' };
  const env = stepEnvironment({ ...parts, explicit, outside: { HOME: '/root' } });
  expect(env).toMatchObject({
    HOME: '/scratch/home',
    PORT: '4000',
    CONVOY_REHEARSAL: 'id',
    GREETING: 'hi',
  });
});

test('only the start is in production, and an install never', () => {
  expect([nodeEnv('install'), nodeEnv('build'), nodeEnv('start')]).toEqual([
    undefined,
    undefined,
    'production',
  ]);
  expect(nodeEnv('start', { NODE_ENV: 'staging' })).toBe('staging');
  expect(nodeEnv('install', { NODE_ENV: 'production' })).toBeUndefined();
});

test('the address of a registry reaches the install only, and never with credentials', () => {
  const outside = { HTTPS_PROXY: 'http://proxy:3128', PIP_INDEX_URL: 'https://me:pw@pypi.example' };
  expect(stepEnvironment({ ...parts, phase: 'install', outside })).toMatchObject({
    HTTPS_PROXY: 'http://proxy:3128',
  });
  expect(stepEnvironment({ ...parts, phase: 'install', outside })).not.toHaveProperty(
    'PIP_INDEX_URL',
  );
  expect(stepEnvironment({ ...parts, outside })).not.toHaveProperty('HTTPS_PROXY');
});

test('a given value wins over a throw-away one', () => {
  const env = stepEnvironment({
    ...parts,
    injected: { DATABASE_URL: 'postgres://scratch' },
    explicit: { DATABASE_URL: 'postgres://mine' },
  });
  expect(env['DATABASE_URL']).toBe('postgres://mine');
});

test('programs of other projects are not on the search path', () => {
  const outside = '/srv/node_modules/.bin:/usr/bin::./bin:/me/.venv/bin:/usr/bin';
  expect(searchPath(['/copy/node_modules/.bin'], outside)).toBe('/copy/node_modules/.bin:/usr/bin');
});

test('everyday words are no secrets', () => {
  const env = { A: 'production', B: '127.0.0.1', C: '65535.25', D: 'k3yk3yk3y', E: 'short' };
  expect(secretValues(env)).toEqual(['k3yk3yk3y']);
});
