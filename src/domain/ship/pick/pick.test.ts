import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Lane, LaneKind, PlatformConfig } from '../scan/lane.ts';
import { PLATFORMS } from './fitness.ts';
import { pick } from './pick.ts';

const lane = (changes: Partial<Lane> = {}): Lane => ({
  name: 'api',
  kind: 'backend',
  path: '.',
  dependsOn: [],
  ecosystem: 'node',
  framework: 'express',
  packageManager: 'npm',
  install: 'npm install',
  installPath: '.',
  build: null,
  buildVia: null,
  start: 'node app.js',
  startVia: 'npm run start',
  startEnv: {},
  hooks: [],
  migrate: null,
  staticDir: null,
  schedule: null,
  port: 3000,
  portBinding: { by: 'env', name: 'PORT' },
  healthPath: '/',
  datastores: [],
  secrets: [],
  settings: [],
  dockerfile: null,
  evidence: [],
  ...changes,
});

const chosen = (changes: Partial<Lane>): string => pick(lane(changes), { configs: [] }).chosen;

const config = (
  platform: PlatformConfig['platform'],
  file: string,
  product: string,
  path = '.',
): PlatformConfig => ({ platform, file, product, path });
const fly = config('fly', 'fly.toml', 'Fly.io');
const vercel = config('vercel', 'vercel.json', 'Vercel');

test('a Next application goes to Vercel, a server to Fly, one with a managed store to Railway', () => {
  expect(chosen({ kind: 'frontend', framework: 'next' })).toBe('vercel');
  expect(chosen({})).toBe('fly');
  expect(chosen({ datastores: ['postgres'] })).toBe('railway');
  expect(chosen({ datastores: ['sqlite'] })).toBe('fly');
});

test('a platform’s own file wins over the scores', () => {
  const choice = pick(lane({ kind: 'frontend', framework: 'next' }), { configs: [fly] });
  expect([choice.chosen, choice.decidedBy, choice.reason]).toEqual([
    'fly',
    'existing-config',
    'fly.toml configures Fly.io.',
  ]);
});

test('the file beside a lane wins over one further up', () => {
  const near = config('vercel', 'web/vercel.json', 'Vercel', 'web');
  const choice = pick(lane({ path: 'web', kind: 'frontend', framework: 'vite' }), {
    configs: [fly, near],
  });
  expect([choice.chosen, choice.risks]).toEqual(['vercel', []]);
});

test('what is asked for wins over everything', () => {
  const choice = pick(lane(), { configs: [fly], override: 'cloudrun', preference: 'local' });
  expect([choice.chosen, choice.decidedBy]).toEqual(['cloudrun', 'override']);
  expect(choice.risks.map(({ code }) => code)).toEqual(['config-unused']);
});

test('a set preference wins over scores but not over a platform’s own file', () => {
  expect(pick(lane(), { configs: [], preference: 'local' }).chosen).toBe('local');
  expect(pick(lane(), { configs: [fly], preference: 'local' }).chosen).toBe('fly');
});

test('DC-8: two platform files are an explicit conflict', () => {
  const { risks } = pick(lane(), { configs: [fly, vercel] });
  expect(risks).toContainEqual({
    level: 'warn',
    code: 'platform-conflict',
    message: 'Fly.io and Vercel are both configured for api; fly was chosen.',
    lane: 'api',
    files: ['fly.toml', 'vercel.json'],
  });
});

test('a file of a platform that cannot run the lane does not choose it', () => {
  const choice = pick(lane({ kind: 'worker' }), { configs: [vercel] });
  expect([choice.chosen, choice.decidedBy, choice.scores.vercel]).toEqual(['fly', 'score', 0]);
});

test('asking for a platform that cannot run the lane is a blocking risk', () => {
  const choice = pick(lane({ kind: 'worker' }), { configs: [], override: 'vercel' });
  expect(choice.risks.map(({ level, code }) => [level, code])).toEqual([
    ['block', 'platform-cannot'],
  ]);
});

const lanes = fc.record({
  kind: fc.constantFrom<LaneKind>('backend', 'worker', 'frontend', 'infra'),
  framework: fc.constantFrom('next', 'vite', 'express', 'phoenix', null),
  datastores: fc.subarray(['postgres', 'redis', 'sqlite', 'kafka']),
  staticDir: fc.constantFrom('dist', null),
  dockerfile: fc.constantFrom('Dockerfile', null),
  schedule: fc.constantFrom('0 3 * * *', null),
});

test('without orders the choice is a platform that can run the lane and none scores higher', () => {
  fc.assert(
    fc.property(lanes, (changes) => {
      const { chosen: best, scores, reasons } = pick(lane(changes), { configs: [] });
      expect(scores[best]).toBeGreaterThan(0);
      expect(Math.max(...Object.values(scores))).toBe(scores[best]);
      expect(PLATFORMS.filter((name) => scores[name] < 0 || scores[name] > 100)).toEqual([]);
      expect(PLATFORMS.filter((name) => reasons[name].length === 0)).toEqual([]);
    }),
  );
});
